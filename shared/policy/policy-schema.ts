import * as z from "zod";
import { ATOMS_UNIT, u64Text } from "../amounts.ts";
import { suiAddress } from "../api/sui-values.ts";
import type { FundPolicy, PolicyLists } from "./fund-policy.ts";
import { NO_LIMITS } from "./fund-policy-defaults.ts";
import { fullTarget } from "./move-targets.ts";

/** The limit on entries of one list. It keeps a policy cheap to judge, and to pass along with every call of its key. */
export const MAX_LIST_ENTRIES = 200;

const NOT_A_TARGET = "must be 0x…::module::function, 0x…::module::* or 0x…::*";
const NAME = "[A-Za-z_$][A-Za-z0-9_$]{0,127}";

/** Parses a target. Its result is in full length and lower case. */
const moveTarget = z
  .string(NOT_A_TARGET)
  .regex(new RegExp(`^0x[0-9a-fA-F]{1,64}::(\\*|${NAME}::(\\*|${NAME}))$`), NOT_A_TARGET)
  .overwrite(fullTarget);

function lists(entry: z.ZodString) {
  const list = z.array(entry).max(MAX_LIST_ENTRIES).nullable();
  return z.strictObject({
    allow: list.describe("Nothing else is sponsored. Empty or null: no such restriction"),
    deny: list.describe("Never sponsored, even if allow names it"),
  });
}

const moveTargets = lists(moveTarget).describe(
  "Move calls. On Sui, coins, options and vectors that an SDK makes around a call need no entry",
);
const senders = lists(suiAddress);
const orderless = z
  .boolean()
  .describe("Whether orderless transactions are sponsored (Aptos). A key and its fund must both allow them");

function limits<Amount extends z.ZodType>(amount: Amount) {
  const limit = (what: string) => amount.nullable().meta(ATOMS_UNIT).describe(`${what}, MIST or octas. null: no limit`);
  return {
    maxGasBudget: limit("The highest gas budget of one sponsorship"),
    maxStorageCost: limit("The highest storage cost by a dry run; without a dry run, the highest gas budget"),
    maxInFlightCount: z.int().min(0).nullable().describe("Sponsorships in flight at once. null: no limit"),
    maxInFlightAmount: limit("Gas budgets and fees in flight at once"),
    maxSpendPerDay: limit("Gas budgets and fees of a UTC day, corrected to the charge once it is known"),
    maxSpendPerSenderPerDay: limit("The same for each sender"),
    maxAbandonCostPerDay: limit("The cost of abandoned sponsorships in a UTC day, after which no more are given out"),
  };
}

/** A whole policy in the form of the admin API. It has every field, and amounts are decimal strings. */
export const policyViewSchema = z.strictObject({ moveTargets, senders, orderless, ...limits(u64Text.in) });
/** A whole policy in the form of the admin API. Amounts are MIST or octas as decimal strings. */
export type PolicyView = z.infer<typeof policyViewSchema>;

const wholePolicySchema = z.strictObject({ moveTargets, senders, orderless, ...limits(u64Text) });

/** A text of an earlier build lacks the field. A text of this build lacks it, too, if its value is the default. */
const storedPolicySchema = wholePolicySchema.extend({ orderless: orderless.optional() });

/** The meaning of a stored policy without the field, for a fund and for a key. */
const STORED_ORDERLESS = { fund: true, key: false } as const;

/** The owner of a stored policy. */
export type PolicyKind = keyof typeof STORED_ORDERLESS;

/**
 * Changes to a policy. A missing field stays unchanged. A list is replaced whole. Null removes a limit, or both lists.
 */
export const policyPatchSchema = wholePolicySchema
  .extend({
    moveTargets: moveTargets.exactPartial().nullable(),
    senders: senders.exactPartial().nullable(),
  })
  .exactPartial();
/** Changes to a policy, after parsing. Amounts are MIST or octas. */
export type PolicyPatch = z.output<typeof policyPatchSchema>;

/** The policy of a new fund or key, as changes to the default policy of its chain. */
export const newPolicySchema = policyPatchSchema.prefault({});

function patchLists(current: PolicyLists, patch: Partial<PolicyLists> | null | undefined): PolicyLists {
  return patch === null ? { allow: null, deny: null } : { ...current, ...patch };
}

/** Returns the sent value if one was sent. Null is a value, so `??` would be wrong. */
function sentOr<Value>(sent: Value | undefined, current: Value): Value {
  return sent === undefined ? current : sent;
}

/** Returns the policy with the changes of a patch. */
export function patchPolicy(policy: FundPolicy, patch: PolicyPatch): FundPolicy {
  return {
    moveTargets: patchLists(policy.moveTargets, patch.moveTargets),
    senders: patchLists(policy.senders, patch.senders),
    orderless: patch.orderless ?? policy.orderless,
    maxGasBudgetAtoms: sentOr(patch.maxGasBudget, policy.maxGasBudgetAtoms),
    maxStorageCostAtoms: sentOr(patch.maxStorageCost, policy.maxStorageCostAtoms),
    maxInFlightCount: sentOr(patch.maxInFlightCount, policy.maxInFlightCount),
    maxInFlightAmountAtoms: sentOr(patch.maxInFlightAmount, policy.maxInFlightAmountAtoms),
    maxSpendPerDayAtoms: sentOr(patch.maxSpendPerDay, policy.maxSpendPerDayAtoms),
    maxSpendPerSenderPerDayAtoms: sentOr(patch.maxSpendPerSenderPerDay, policy.maxSpendPerSenderPerDayAtoms),
    maxAbandonCostPerDayAtoms: sentOr(patch.maxAbandonCostPerDay, policy.maxAbandonCostPerDayAtoms),
  };
}

function showLists({ allow, deny }: PolicyLists): PolicyView["senders"] {
  return { allow: allow && [...allow], deny: deny && [...deny] };
}

/** Returns a policy in the form of the admin API, with amounts as decimal strings. */
export function showPolicy(policy: FundPolicy): PolicyView {
  const text = (amountAtoms: bigint | null) => amountAtoms?.toString() ?? null;
  return {
    moveTargets: showLists(policy.moveTargets),
    senders: showLists(policy.senders),
    orderless: policy.orderless,
    maxGasBudget: text(policy.maxGasBudgetAtoms),
    maxStorageCost: text(policy.maxStorageCostAtoms),
    maxInFlightCount: policy.maxInFlightCount,
    maxInFlightAmount: text(policy.maxInFlightAmountAtoms),
    maxSpendPerDay: text(policy.maxSpendPerDayAtoms),
    maxSpendPerSenderPerDay: text(policy.maxSpendPerSenderPerDayAtoms),
    maxAbandonCostPerDay: text(policy.maxAbandonCostPerDayAtoms),
  };
}

/** Encodes a policy for storage: as JSON of its form in the admin API. */
export function encodePolicy(policy: FundPolicy, kind: PolicyKind): string {
  const { orderless, ...rest } = showPolicy(policy);
  return JSON.stringify(orderless === STORED_ORDERLESS[kind] ? rest : { ...rest, orderless });
}

/**
 * Decodes a stored policy. @throws Error if the text is not exactly one whole policy, because half a policy would be
 * half a limit.
 */
export function decodePolicy(text: string, kind: PolicyKind): FundPolicy {
  const { orderless = STORED_ORDERLESS[kind], ...rest } = storedPolicySchema.parse(JSON.parse(text));
  // A patch that names every field replaces every field.
  return patchPolicy(NO_LIMITS, { ...rest, orderless });
}
