import type { Chain } from "../../../shared/networks.ts";
import { amountText } from "./amount-text.ts";

/** Shows an amount in coins. The exact base units are in its title and in its copy. */
export function Amount({ chain, atoms }: { readonly chain: Chain; readonly atoms: bigint | string }) {
  const { shown, exact, digits } = amountText(chain, BigInt(atoms));
  return (
    <data class="amount" value={digits} title={exact} data-copy={digits}>
      {shown}
    </data>
  );
}

/** Shows an amount, or a dash if it is not known. */
export function MaybeAmount({ chain, atoms }: { readonly chain: Chain; readonly atoms: bigint | string | null }) {
  return atoms === null ? <span class="dim">–</span> : <Amount chain={chain} atoms={atoms} />;
}
