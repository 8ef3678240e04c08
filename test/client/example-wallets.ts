import { type AnyRawTransaction, Ed25519Account, Ed25519PrivateKey } from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";

/**
 * A wallet extension of Chromium for each chain, by the Wallet Standard: two keys that approve everything. Bundled and
 * run before the page. The keys are in the fragment of the page's address.
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

const [suiKey = "", aptosKey = ""] = location.hash.slice(1).split(",");
const sui = Ed25519Keypair.fromSecretKey(suiKey);
const aptos = new Ed25519Account({ privateKey: new Ed25519PrivateKey(aptosKey, false) });

interface SuiInput {
  readonly transaction: { toJSON(): Promise<string>; build(): Promise<Uint8Array> };
}

const suiWallet = {
  name: "Sui wallet",
  features: {
    "standard:connect": { connect: async () => ({ accounts: [{ address: sui.toSuiAddress() }] }) },
    "sui:signTransaction": {
      signTransaction: async ({ transaction }: SuiInput) => sui.signTransaction(await transaction.build()),
    },
  },
};

const aptosWallet = {
  name: "Aptos wallet",
  features: {
    "aptos:connect": { connect: async () => ({ status: "Approved", args: { address: aptos.accountAddress } }) },
    "aptos:signTransaction": {
      signTransaction: async (transaction: AnyRawTransaction) => ({
        status: "Approved",
        args: aptos.signTransactionWithAuthenticator(transaction),
      }),
    },
  },
};

window.addEventListener("wallet-standard:app-ready", ({ detail }) => detail.register(suiWallet, aptosWallet));
