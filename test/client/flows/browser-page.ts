import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { createFlows } from "../../../shared/client/flows/index.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";

/**
 * A page of an app, in Chromium. Its wallet is a key in `localStorage`. `?name=` names the order, and the page then
 * asks for it by itself, as a page does that is opened again.
 */

declare const document: {
  querySelector(selector: string): { textContent: string | null; onclick: (() => void) | null } | null;
};
declare const location: { readonly search: string; readonly origin: string };
declare const localStorage: { getItem(key: string): string | null; setItem(key: string, value: string): void };

const kept = (key: string) => localStorage.getItem(key) ?? "";
const keypair = Ed25519Keypair.fromSecretKey(kept("test.key"));
const wallet = {
  toSuiAddress: () => keypair.toSuiAddress(),
  signTransaction(bytes: Uint8Array) {
    // A wallet whose window nobody sees.
    if (kept("test.silent") === "yes") return new Promise<never>(() => {});
    localStorage.setItem("test.signatures", String(Number(kept("test.signatures")) + 1));
    return keypair.signTransaction(bytes);
  },
};
const flows = createFlows({ url: location.origin, token: kept("test.token"), sui: { network: "localnet" } });

function show(selector: string, text: string): void {
  const element = document.querySelector(selector);
  if (element !== null) element.textContent = text;
}

async function mint(): Promise<void> {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string("badge")] });
  const name = new URLSearchParams(location.search).get("name");
  const result = await flows.sponsorAndExecute(transaction, wallet, {
    ...(name !== null && { name }),
    ...(kept("test.silent") === "yes" && { walletMs: 100 }),
    onState: ({ step }) => show("#step", step),
  });
  if (result.ok) show("#repeat", result.value.isRepeat ? "already done" : "done");
  show("#result", result.ok ? result.value.digest : `${result.error.code} ${result.error.action.kind}`);
}

const button = document.querySelector("#mint");
if (button !== null) button.onclick = () => void mint();
if (location.search !== "") void mint();
show("#step", "ready");
