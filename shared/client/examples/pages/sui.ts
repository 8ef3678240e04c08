import { Transaction } from "@mysten/sui/transactions";
import { createFlows } from "gasworks/flows";
import { addButton, onWallet, type Wallet } from "./wallets.ts";

// A page whose users mint a badge with their own wallet on Sui, and own no coin. Replace the package and the network.

const PACKAGE = "0xdec0de0000000000000000000000000000000000000000000000000000000001";
const flows = createFlows({
  url: location.origin,
  token: async () => (await fetch("/session")).text(),
  sui: { network: "localnet" },
});

interface Account {
  readonly address: string;
}
/** The features of a wallet for Sui that this page uses, as `@mysten/wallet-standard` types them. */
interface SuiFeatures {
  readonly "standard:connect": { connect(): Promise<{ readonly accounts: readonly Account[] }> };
  readonly "sui:signTransaction": {
    signTransaction(input: {
      readonly transaction: Transaction;
      readonly account: Account;
      readonly chain: "sui:localnet";
    }): Promise<{ readonly bytes: string; readonly signature: string }>;
  };
}

async function mint(wallet: Wallet): Promise<string> {
  const features = wallet.features as unknown as SuiFeatures;
  const { accounts } = await features["standard:connect"].connect();
  const [account] = accounts;
  if (account === undefined) return "the wallet shows no account";
  const signer = {
    address: account.address,
    signTransaction: ({ transaction }: { readonly transaction: string }) =>
      features["sui:signTransaction"].signTransaction({
        transaction: Transaction.from(transaction),
        account,
        chain: "sui:localnet",
      }),
  };
  const transaction = new Transaction();
  transaction.moveCall({ target: `${PACKAGE}::demo::mint`, arguments: [transaction.pure.string("by a wallet")] });
  const minted = await flows.sponsorAndExecute(transaction, signer);
  return minted.ok ? minted.value.digest : `${minted.error.code}: ${minted.error.action.kind}`;
}

onWallet("sui:signTransaction", (wallet) => addButton(`Mint with ${wallet.name}`, () => mint(wallet)));
