// Sui only: on Aptos no signature of a fund can be taken back, so nothing depends on it.

import type { SuiNode } from "../../../chain/sui/node.ts";
import { type Outcome, refuse } from "../../../errors.ts";
import type { SuiSponsorship } from "../store.ts";

/**
 * Refuses a sender's signature whose right no node shows. It is for a sponsorship from the address balance, whose budget
 * would be withheld for an epoch or two: anybody can make a signature up that only the chain can judge.
 *
 * An alias signs for its address. If it is taken away before the submission, the budget is withheld as for any other
 * transaction that a node refuses.
 *
 * @returns null if the signature is valid by an alias that a node shows; `bad_signature`, `node_unavailable`.
 */
export async function refuseUnshown(
  node: Pick<SuiNode, "aliases" | "verifySignature">,
  { transactionBytes, sender }: SuiSponsorship,
  senderSignature: string,
): Promise<Outcome<never> | null> {
  const aliases = await node.aliases(sender);
  if (!aliases.ok) return aliases;
  for (const alias of aliases.value) {
    const judged = await node.verifySignature(transactionBytes, senderSignature, alias);
    if (!judged.ok) return judged;
    if (judged.value === "valid") return null;
  }
  return refuse(
    "bad_signature",
    "no node shows that this key signs for the sender: a fund in address_balance mode takes the sender's own key and its aliases, of schemes that the service knows",
  );
}
