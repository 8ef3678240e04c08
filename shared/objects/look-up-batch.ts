import { type LookUp, NODE_BATCH_LIMIT, type SuiExecution } from "../chain/sui/node.ts";
import { done, type Outcome } from "../errors.ts";

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
        answer: new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => {
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
        const { executions, checkpointTimeMs } = looked.value;
        return done({ execution: executions[index] ?? null, checkpointTimeMs });
      })
      .finally(() => underWay.delete(digest));
    underWay.set(digest, finding);
    return finding;
  };
}
