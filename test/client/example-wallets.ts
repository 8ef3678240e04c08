import {
  type AnyRawTransaction,
  Ed25519Account,
  Ed25519PrivateKey,
  Network,
  NetworkToChainId,
} from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";

/**
 * Two wallet extensions of Chromium by the Wallet Standard: one for Sui, and one for Aptos (AIP-62). Each approves
 * everything. This file is bundled, and runs before the page. The page's address has the keys in its fragment, and the
 * word `refusing` if the wallets refuse to sign.
 */

interface Api {
  register(...wallets: readonly object[]): void;
}
interface Ready {
  readonly detail: Api;
}
declare const window: {
  addEventListener(name: string, listener: (event: Ready) => void): void;
};
declare const location: { readonly hash: string };

const [suiKey = "", aptosKey = "", mood] = location.hash.slice(1).split(",");
const sui = Ed25519Keypair.fromSecretKey(suiKey);
const aptos = new Ed25519Account({ privateKey: new Ed25519PrivateKey(aptosKey, false) });
const isRefusing = mood === "refusing";

const icon = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>";
const never = () => () => undefined;

const suiAccount = {
  address: sui.toSuiAddress(),
  publicKey: sui.getPublicKey().toRawBytes(),
  chains: ["sui:localnet"],
  features: ["sui:signTransaction"],
};
const suiWallet = {
  version: "1.0.0",
  name: "Sui wallet",
  icon,
  chains: suiAccount.chains,
  accounts: [suiAccount],
  features: {
    "standard:connect": { version: "1.0.0", connect: async () => ({ accounts: [suiAccount] }) },
    "standard:events": { version: "1.0.0", on: never },
    "sui:signTransaction": {
      version: "2.0.0",
      async signTransaction({ transaction }: { readonly transaction: { toJSON(): Promise<string> } }) {
        // Not every wallet throws an Error.
        if (isRefusing) throw { code: 4_001, message: "the user has rejected this" };
        return sui.signTransaction(await Transaction.from(await transaction.toJSON()).build());
      },
    },
  },
};

const aptosAccount = { address: aptos.accountAddress, publicKey: aptos.publicKey };
const approve = <Args>(args: Args) => ({ status: "Approved", args });
const aptosWallet = {
  version: "1.0.0",
  name: "Aptos wallet",
  icon,
  url: "https://wallet.example.com",
  chains: ["aptos:localnet"],
  accounts: [],
  features: {
    "aptos:account": { version: "1.0.0", account: async () => aptosAccount },
    "aptos:connect": { version: "1.0.0", connect: async () => approve(aptosAccount) },
    "aptos:disconnect": { version: "1.0.0", disconnect: async () => undefined },
    "aptos:network": {
      version: "1.0.0",
      network: async () => ({ name: Network.LOCAL, chainId: NetworkToChainId[Network.LOCAL] }),
    },
    "aptos:onAccountChange": { version: "1.0.0", onAccountChange: async () => undefined },
    "aptos:onNetworkChange": { version: "1.0.0", onNetworkChange: async () => undefined },
    "aptos:signMessage": { version: "1.0.0", signMessage: async () => ({ status: "Rejected" }) },
    "aptos:signTransaction": {
      version: "1.0.0",
      signTransaction: async (transaction: AnyRawTransaction) =>
        isRefusing ? { status: "Rejected" } : approve(aptos.signTransactionWithAuthenticator(transaction)),
    },
  },
};

window.addEventListener("wallet-standard:app-ready", ({ detail }) => detail.register(suiWallet, aptosWallet));
