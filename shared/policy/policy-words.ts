import { formatCoin } from "../coin-text.ts";
import type { Chain } from "../networks.ts";
import type { PolicyView } from "./policy-schema.ts";

/** One rule of a policy in plain words. */
export interface PolicyRuleWords {
  readonly field: keyof PolicyView;
  /** Whole sentences. */
  readonly sentence: string;
  /** True if the rule restricts nothing. */
  readonly isOpen: boolean;
  /** The possible damage while the rule is open. Null if it restricts something, or if no damage follows. */
  readonly risk: string | null;
}

/** The owner of the policy, and the chain whose coin it counts in. */
export interface PolicyOwner {
  readonly kind: "fund" | "key";
  readonly chain: Chain;
}

type Words = (policy: PolicyView, owner: PolicyOwner) => Omit<PolicyRuleWords, "field">;

const restricts = (sentence: string) => ({ sentence, isOpen: false, risk: null });
const open = (sentence: string, risk: string | null) => ({ sentence, isOpen: true, risk });

function who({ kind }: PolicyOwner): string {
  return kind === "fund" ? "all keys together" : "this key";
}

function joined(entries: readonly string[]): string {
  return entries.join(", ");
}

interface ListWords {
  /** Completes "Only …" and "Never …". */
  readonly what: (entries: string) => string;
  /** Completes "Pays for …". */
  readonly any: string;
  readonly risk: string | null;
}

/** Describes the calls or senders that a pair of lists allows. An empty list counts as none. */
function listWords({ allow, deny }: PolicyView["senders"], { what, any, risk }: ListWords) {
  const allowed = allow ?? [];
  const denied = deny ?? [];
  const never = denied.length === 0 ? "" : ` Never pays for ${what(joined(denied))}.`;
  return allowed.length > 0
    ? restricts(`Pays only for ${what(joined(allowed))}.${never}`)
    : denied.length > 0
      ? { sentence: `Pays for ${any}.${never}`, isOpen: false, risk }
      : open(`Pays for ${any}.`, risk);
}

/** Makes the words of a limit on an amount. */
function amountWords(
  field: Exclude<keyof PolicyView, "moveTargets" | "senders" | "orderless" | "maxInFlightCount">,
  limited: (amount: string, owner: PolicyOwner) => string,
  unlimited: string,
  riskOf: (owner: PolicyOwner) => string | null,
): Words {
  return (policy, owner) => {
    const text = policy[field];
    return text === null
      ? open(unlimited, riskOf(owner))
      : restricts(limited(formatCoin(owner.chain, BigInt(text)), owner));
  };
}

/** The words of each rule, in the order in which people read them. */
export const POLICY_WORDS: Readonly<Record<keyof PolicyView, Words>> = {
  moveTargets: ({ moveTargets }, { kind }) =>
    listWords(moveTargets, {
      what: (entries) => `calls of ${entries}`,
      any: "any Move call",
      risk:
        kind === "fund"
          ? "Any key of the fund has any transaction paid for, unless its own policy names calls."
          : "The holder of the key has any transaction paid for, unless the fund's policy names calls.",
    }),
  senders: ({ senders }) =>
    listWords(senders, {
      what: (entries) => `the senders ${entries}`,
      any: "any sender",
      // Nearly every app has users that it does not know in advance.
      risk: null,
    }),
  orderless: ({ orderless }, { chain, kind }) => {
    const kinds = chain === "sui" ? "orderless transactions, which exist on Aptos alone" : "orderless transactions";
    if (!orderless) return restricts(`Never pays for ${kinds}.`);
    const whose = kind === "fund" ? "if the key's own policy allows them" : "unless the fund's policy refuses them";
    return open(`Pays for ${kinds}, ${whose}.`, null);
  },
  maxGasBudget: amountWords(
    "maxGasBudget",
    (amount) => `One transaction costs at most ${amount}.`,
    "One transaction may cost any amount.",
    ({ kind }) =>
      kind === "fund"
        ? "A single transaction can take all of the fund's money."
        : "A single transaction can take all of the fund's money, unless the fund's policy limits it.",
  ),
  maxStorageCost: amountWords(
    "maxStorageCost",
    (amount) => `One transaction stores for at most ${amount}. A sender who stores more is refused until midnight UTC.`,
    "One transaction may store for its whole gas budget.",
    () => "The deleter of stored data gets its deposit back, so users can farm what the fund pays.",
  ),
  maxInFlightCount: ({ maxInFlightCount: most }, owner) =>
    most === null
      ? open("Any number of sponsorships may be open at once.", null)
      : restricts(
          most === 0
            ? "No sponsorship may be open: nothing is sponsored."
            : `At most ${most} sponsorships are open at once, over ${who(owner)}.`,
        ),
  maxInFlightAmount: amountWords(
    "maxInFlightAmount",
    (amount, owner) => `Open sponsorships withhold at most ${amount} at once, over ${who(owner)}.`,
    "Open sponsorships may withhold all of the fund's money.",
    ({ kind }) => (kind === "key" ? "A leaked key can hold the whole fund until its sponsorships expire." : null),
  ),
  maxSpendPerDay: amountWords(
    "maxSpendPerDay",
    (amount, owner) => `At most ${amount} a day (UTC) are spent, over ${who(owner)}.`,
    "Any amount may be spent on a day.",
    ({ kind }) => (kind === "fund" ? "One mistake can empty the fund in a day." : null),
  ),
  maxSpendPerSenderPerDay: amountWords(
    "maxSpendPerSenderPerDay",
    (amount) => `Each sender spends at most ${amount} a day (UTC).`,
    "A single sender may spend any amount on a day.",
    () => "One user can spend the amount of the day, and all others are then refused.",
  ),
  maxAbandonCostPerDay: amountWords(
    "maxAbandonCostPerDay",
    (amount, owner) =>
      `Once abandoned sponsorships have cost ${amount} on a day (UTC), over ${who(owner)}, no more are given out.`,
    "Abandoned sponsorships may cost any amount.",
    // Only a Sui fund pays to take the coins of abandoned sponsorships back.
    ({ chain, kind }) =>
      chain === "sui" && kind === "key" ? "A leaked key can burn money by sponsorships that it never executes." : null,
  ),
};

/** Puts a policy into plain words: one entry for each rule, open or not. */
export function policyInWords(policy: PolicyView, owner: PolicyOwner): readonly PolicyRuleWords[] {
  const fields = Object.keys(POLICY_WORDS) as (keyof PolicyView)[];
  return fields.map((field) => ({ field, ...POLICY_WORDS[field](policy, owner) }));
}
