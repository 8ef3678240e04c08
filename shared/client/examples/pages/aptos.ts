import {
  AccountAddress,
  type AccountAuthenticator,
  Deserializer,
  EntryFunction,
  MoveString,
  SimpleTransaction,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import { aptosWallet, createFlows } from "gasworks/flows";
import { addButton, onWallet, type Wallet } from "./wallets.ts";

// A page whose users mint a badge with their own wallet on Aptos, and own no coin. Replace the module and the network.

const MODULE = "0xdec0de0000000000000000000000000000000000000000000000000000000001::demo";
const flows = createFlows({
  url: location.origin,
  token: async () => (await fetch("/session")).text(),
  aptos: { network: "localnet" },
});

type Response<T> = { readonly status: "Approved"; readonly args: T } | { readonly status: "Rejected" };
/** The features of a wallet for Aptos (AIP-62) that this page uses, as `@aptos-labs/wallet-standard` types them. */
interface AptosFeatures {
  readonly "aptos:connect": { connect(): Promise<Response<{ readonly address: { toString(): string } }>> };
  readonly "aptos:signTransaction": {
    signTransaction(transaction: SimpleTransaction): Promise<Response<AccountAuthenticator>>;
  };
}

/** Returns what the user has approved. */
function approved<T>(response: Response<T>): T {
  if (response.status === "Approved") return response.args;
  throw new Error("the user has rejected this");
}

async function mint(wallet: Wallet): Promise<string> {
  const features = wallet.features as unknown as AptosFeatures;
  const account = approved(await features["aptos:connect"].connect());
  // The wallet adapter's useWallet() is already of this form.
  const adapter = {
    account,
    signTransaction: async (input: { readonly transactionOrPayload: SimpleTransaction }) => {
      const signed = await features["aptos:signTransaction"].signTransaction(input.transactionOrPayload);
      return { authenticator: approved(signed) };
    },
  };
  const to = AccountAddress.from(account.address.toString());
  const mintBadge = EntryFunction.build(MODULE as "0x1::demo", "mint", [], [new MoveString("by a wallet"), to]);
  const payload = new TransactionPayloadEntryFunction(mintBadge);
  const signer = aptosWallet(adapter, { Deserializer, SimpleTransaction });
  const minted = await flows.sponsorAndExecute(payload, signer);
  return minted.ok ? minted.value.hash : `${minted.error.code}: ${minted.error.action.kind}`;
}

onWallet("aptos:signTransaction", (wallet) => addButton(`Mint with ${wallet.name}`, () => mint(wallet)));
