/* Sui only: A node on Aptos looks one hash up at a time. */

import { NODE_BATCH_LIMIT } from "../../../chain/sui/node.ts";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { sleep } from "../../../timing.ts";
import type { Finding, LookedUp } from "./look-ups.ts";

/**
 * Joins look-ups that are requested together into one call of the node. Callers of one digest share the answer that is
 * under way.
 */
export function lookUpBatch(
  ask: (digests: readonly string[]) => Promise<LookedUp>,
): (digest: string) => Promise<Outcome<Finding>> {
  const underWay = new Map<string, Promise<Outcome<Finding>>>();
  let gathering: { digests: string[]; answer: Promise<LookedUp> } | null = null;

  const join = (digest: string): Promise<LookedUp> => {
    if (gathering === null || gathering.digests.length === NODE_BATCH_LIMIT) {
      const digests: string[] = [];
      const batch = {
        digests,
        answer: sleep(0).then(() => {
          if (gathering === batch) gathering = null;
          return ask(digests);
        }),
      };
      gathering = batch;
    }
    gathering.digests.push(digest);
    return gathering.answer;
  };

  return (digest) => {
    const known = underWay.get(digest);
    if (known !== undefined) return known;
    const finding = join(digest)
      .then(({ findings, fault }): Outcome<Finding> => {
        const found = findings.get(digest);
        return found === undefined
          ? refuse("node_unavailable", fault ?? "the node could not look up the digest: repeat the call")
          : done(found);
      })
      .finally(() => underWay.delete(digest));
    underWay.set(digest, finding);
    return finding;
  };
}
