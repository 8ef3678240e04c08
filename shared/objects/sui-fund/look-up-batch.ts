import { type LookUp, NODE_BATCH_LIMIT, type SuiExecution } from "../../chain/sui/node.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { sleep } from "../../timing.ts";

export interface Finding {
  /** Null: the endpoint does not know the digest. */
  readonly execution: SuiExecution | null;
  readonly checkpointTimeMs: number;
}

/**
 * Joins look-ups that are asked for together into one call of the node, and lets callers of one digest share the
 * answer that is under way.
 */
export function lookUpBatch(
  ask: (digests: readonly string[]) => Promise<Outcome<LookUp>>,
): (digest: string) => Promise<Outcome<Finding>> {
  const underWay = new Map<string, Promise<Outcome<Finding>>>();
  let gathering: { digests: string[]; answer: Promise<Outcome<LookUp>> } | null = null;

  const join = (digest: string): { index: number; answer: Promise<Outcome<LookUp>> } => {
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
    return { index: gathering.digests.push(digest) - 1, answer: gathering.answer };
  };

  return (digest) => {
    const known = underWay.get(digest);
    if (known !== undefined) return known;
    const { index, answer } = join(digest);
    const finding = answer
      .then((looked): Outcome<Finding> => {
        if (!looked.ok) return looked;
        const { findings, checkpointTimeMs } = looked.value;
        const execution = findings[index] ?? null;
        return execution === "no_answer"
          ? refuse("node_unavailable", "the node could not look the digest up")
          : done({ execution, checkpointTimeMs });
      })
      .finally(() => underWay.delete(digest));
    underWay.set(digest, finding);
    return finding;
  };
}
