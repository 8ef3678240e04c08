import * as z from "zod";
import type { MoveAbort } from "./execution.ts";

/** The abort of Move code in a result, beside its text, so that callers need not parse the text. */
export const abortSchema = z
  .object({
    package: z.string(),
    module: z.string(),
    function: z.string().nullable(),
    abortCode: z.string(),
    command: z.number().nullable(),
  })
  .describe("The place and the code of the abort of Move code: the parts of `error`. Commands count from 0.");

const named = abortSchema.extend({ constant: z.string().exactOptional() });

/** The same with the name of the constant that has the code. Absent if the node does not show it. */
export type ShownAbort = z.output<typeof named>;

/** Shows an abort to callers. */
export function shownAbort({ abortCode, ...abort }: MoveAbort): ShownAbort {
  return { ...abort, abortCode: abortCode.toString() };
}

/** Reads a result of `shownAbort`. Null for any other value. */
export function readShownAbort(shown: unknown): ShownAbort | null {
  return named.safeParse(shown).data ?? null;
}
