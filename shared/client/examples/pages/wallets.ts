/**
 * Finds the wallets of the browser by the events of the Wallet Standard
 * (https://github.com/wallet-standard/wallet-standard), without a package. An app with React takes dapp-kit or the wallet
 * adapter instead, which do the same.
 */

/** A wallet, as far as every chain has it. */
export interface Wallet {
  readonly name: string;
  readonly features: Readonly<Record<string, unknown>>;
}

type Register = (...wallets: readonly Wallet[]) => void;
type Ready = CustomEvent<{ readonly register: Register }>;
type Registering = CustomEvent<(api: { readonly register: Register }) => void>;

/** Calls `found` for each wallet that has a feature, now and later. */
export function onWallet(feature: string, found: (wallet: Wallet) => void): void {
  const register: Register = (...wallets) => {
    for (const wallet of wallets) if (feature in wallet.features) found(wallet);
  };
  window.addEventListener("wallet-standard:register-wallet", (event) => (event as Registering).detail({ register }));
  const ready: Ready = new CustomEvent("wallet-standard:app-ready", { detail: { register } });
  window.dispatchEvent(ready);
}

/** Adds a button to the page that runs an action once at a time, and shows what it returns. */
export function addButton(label: string, run: () => Promise<string>): void {
  const [button, result] = [document.createElement("button"), document.createElement("output")];
  button.textContent = label;
  button.onclick = async () => {
    button.disabled = true;
    result.textContent = await run().catch(String);
    button.disabled = false;
  };
  document.body.append(button, result);
}
