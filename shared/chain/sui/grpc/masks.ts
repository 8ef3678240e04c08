import type { LookUpDetail } from "../node.ts";

/** The fields of an execution that a request names (`read_mask` of sui.rpc.v2). */

/** The gas object alone of all changed objects, because a sender can make the others many. */
const CHARGE_MASK = [
  "digest",
  "effects.status",
  "effects.epoch",
  "effects.gas_used",
  "effects.gas_object",
  "effects.lamport_version",
  "checkpoint",
  "timestamp",
];
const EFFECTS_MASK = [...CHARGE_MASK, "effects.changed_objects"];
const FULL_MASK = [...EFFECTS_MASK, "effects.events_digest", "effects.dependencies", "events", "balance_changes"];
/** Omits events and changed objects, because a sender can make both large. */
const HISTORY_MASK = [...CHARGE_MASK, "effects.dependencies", "balance_changes"];

/** The fields to request for each detail of a look-up. */
export const EXECUTION_MASKS: Readonly<Record<LookUpDetail, readonly string[]>> = {
  charge: CHARGE_MASK,
  effects: EFFECTS_MASK,
  full: FULL_MASK,
  history: HISTORY_MASK,
};

/** The payer of the gas and the sender, without anything that a sender can make large. */
export const GAS_OWNER_MASK = ["digest", "transaction.gas_payment.owner", "transaction.sender", "checkpoint"];
