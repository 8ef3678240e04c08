import * as z from "zod";
import { u64Input } from "../amounts.ts";
import { contract } from "./contract.ts";
import { executeBase, executeParams, gasBudget, WHAT_IS_EXECUTED } from "./sui-wallet.ts";
import { suiExecuteGaslessV2Example } from "./wallet-examples.ts";

const MAX_PATHS = 64;
const MAX_MASK_CHARACTERS = 2_048;
const MASK = "must be field paths, such as effects.status,checkpoint";
const PATH = String.raw`(\*|[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*)`;

const path = z
  .string(MASK)
  .max(MAX_MASK_CHARACTERS, { error: MASK, abort: true })
  .regex(new RegExp(`^${PATH}$`), MASK);

/** A field mask, as protobuf JSON has it, or as a list of its paths. */
const readMask = z.union(
  [
    z
      .string(MASK)
      .max(MAX_MASK_CHARACTERS, { error: MASK, abort: true })
      .regex(new RegExp(`^(${PATH}(,${PATH}){0,${MAX_PATHS - 1}})?$`), MASK),
    z.array(path, MASK).max(MAX_PATHS, `must have at most ${MAX_PATHS} paths`),
  ],
  MASK,
);

/** The fields of an answer if the call names none: those of a Sui node. */
const DEFAULT_PATHS: readonly string[] = ["effects.status", "checkpoint"];

/** Returns the paths of a mask. An empty mask is one that was left out. */
export function pathsOf(mask: z.output<typeof readMask> | undefined): readonly string[] {
  if (mask === undefined || mask.length === 0) return DEFAULT_PATHS;
  return typeof mask === "string" ? mask.split(",") : mask;
}

/** The contract of `svc_wal_executeGaslessTransaction` on the second version of the path. */
export const suiExecuteGaslessV2 = contract({
  name: "svc_wal_executeGaslessTransaction",
  stores: "promise",
  ...executeBase,
  description: `The result is the protobuf JSON of ExecuteTransactionResponse of sui.rpc.v2, with the fields of the mask. ${WHAT_IS_EXECUTED}`,
  params: z.object({
    ...executeParams,
    gas_budget: gasBudget,
    gas_price: u64Input
      .optional()
      .describe(
        "MIST per gas unit, at least the current reference gas price. If it is left out, the reference gas price is used.",
      ),
    read_mask: readMask
      .optional()
      .describe(
        "The fields of the executed transaction to show. If it is left out: effects.status,checkpoint. A field that does not exist, or is not served, is refused by its name.",
      ),
  }),
  result: z.object({ transaction: z.record(z.string(), z.unknown()).describe("The ExecutedTransaction.") }),
  example: suiExecuteGaslessV2Example,
});
