import { chainOf } from "../../network-names.ts";
import type { Chain } from "../../networks.ts";
import type { FundPolicyField } from "../../policy/fund-policy.ts";
import { endingOf } from "../endings.ts";
import { abortText } from "./abort-text.ts";
import { openingOfRefusal } from "./refusal-openings.ts";
import type { RefusedCall } from "./refused-call.ts";
import type { ExplainedExecution, ExplainedSponsorship, FundStory, OnChain } from "./story.ts";

/**
 * The greatest delay of the audit log's time of a revocation after the end that it caused. Two objects write the two
 * times.
 */
export const REVOCATION_LAG_MS = 60_000;

/** A change by an operator that withdrew signatures, and so may have ended a sponsorship. */
export interface Revocation {
  readonly action: string;
  readonly target: string;
  readonly atMs: number;
}

const iso = (atMs: number) => new Date(atMs).toISOString();

/** Puts a node's or a fund's text into a sentence. */
const quoted = (text: string) => text.replace(/\.$/, "");

/** The names of the limits that fill up. The compiler names a missing field of a policy. */
const CAPS = new Map<string, string | null>(
  Object.entries({
    moveTargets: null,
    senders: null,
    maxGasBudget: null,
    maxStorageCost: null,
    maxInFlightCount: "the cap of open sponsorships",
    maxInFlightAmount: "the cap of the open amount",
    maxSpendPerDay: "the cap of the day",
    maxSpendPerSenderPerDay: "the sender's cap of the day",
    maxAbandonCostPerDay: "the cap of the cost of abandoned sponsorships",
  } satisfies Readonly<Record<FundPolicyField, string | null>>),
);

/** Returns the text of a refusal without its leading rule. */
export function withoutRule(details: string, rule: string | null): string {
  return rule !== null && details.startsWith(`${rule}: `) ? details.slice(rule.length + 2) : details;
}

/** Explains in plain words why a fund refused a call. */
export function causeOfRefusal({ reason, rule, scope, details }: RefusedCall): string {
  if (reason === "policy_refused") {
    const owner = scope === "key" ? "The access key's policy" : "The fund's policy";
    const cap = rule === null ? null : (CAPS.get(rule) ?? null);
    return `${owner} refused it by ${cap === null ? `its rule ${rule}` : `${cap} (${rule})`}: ${quoted(withoutRule(details, rule))}.`;
  }
  return `${openingOfRefusal(reason)}: ${quoted(details)}.`;
}

/** Returns true if a failure of either chain means that the gas budget was used up. */
export function isOutOfGas(failure: string | null): boolean {
  return endingOf(failure, false) === "out_of_gas";
}

type ShownExecution = Pick<ExplainedExecution, "success" | "failure" | "abort" | "ledgerPlace">;

/** The names of the places in a chain's history. */
const PLACES: Readonly<Record<Chain, string>> = { sui: "checkpoint", aptos: "version" };

/** Writes the place of an execution: `checkpoint 7` on Sui, `version 7` on Aptos. */
export function placeText(chain: Chain, ledgerPlace: string): string {
  return `${PLACES[chain]} ${ledgerPlace}`;
}

/** Explains in plain words how an execution on a chain ended. */
export function causeOfExecution({ success, failure, abort, ledgerPlace }: ShownExecution, chain: Chain): string {
  const at = ledgerPlace === null ? `no ${PLACES[chain]} yet` : placeText(chain, ledgerPlace);
  if (success) return `It was executed with success (${at}).`;
  if (abort !== null) return `It was executed and aborted in ${abortText(abort)} (${at}). The gas is charged.`;
  const why = isOutOfGas(failure) ? "its gas budget was too low" : (failure ?? "the node gives no reason");
  return `It was executed and failed: ${quoted(why)} (${at}). The gas is charged.`;
}

/**
 * Explains the state of a sponsorship in plain words.
 *
 * @param onChain the present answer of the nodes. Null if they were not called.
 * @param revocations the changes by operators since the sponsorship was made.
 */
export function causeOfSponsorship(
  row: ExplainedSponsorship,
  chain: Chain,
  onChain: OnChain | null,
  revocations: readonly Revocation[],
): string {
  return `${stateText(row, chain, onChain, revocations)}${failuresText(row, onChain)}`;
}

/** Says why the row of an open sponsorship is looked up alone, and ever less often. */
function failuresText({ state }: ExplainedSponsorship, onChain: OnChain | null): string {
  const failures = onChain?.failures;
  if (failures === undefined || (state !== "signed" && state !== "expired")) return "";
  const { inARow, why } = failures;
  return ` Its last look-up failed, while others were fine (${inARow} in a row): ${quoted(why)}. The next one waits longer.`;
}

function stateText(
  row: ExplainedSponsorship,
  chain: Chain,
  onChain: OnChain | null,
  revocations: readonly Revocation[],
): string {
  const execution = onChain?.execution ?? storedExecution(row);
  if (execution !== null) return causeOfExecution(execution, chain);
  const until = iso(row.expiresAtMs);
  switch (row.state) {
    case "prepared":
      return `It waits for the sender's signature until ${until}. Nothing is signed, and nothing is charged.`;
    case "signed":
      return `The fund has signed, and no node shows an execution yet. The sponsorship is valid until ${until}.`;
    case "expired":
      return `The fund has signed, and nobody executed it until ${until}. ${row.gasObjectId === null ? OUTLIVES : "The fund takes its coin back."}`;
    case "complete":
      return "It was executed. No node shows its outcome now; the ledger has the charge.";
    case "unresolvable":
      return "It can never execute now, and no node shows whether it did.";
    case "dead":
      return deadText(row, revocations);
  }
}

/** Only a sponsorship on Sui expires before its end is known. */
const OUTLIVES = "It holds no coin that could be taken back, so it may still execute until its last epoch is over.";

/** Returns the execution as the fund has stored it. Null if it has stored none. */
function storedExecution({ state, trace, ledgerPlace = null }: ExplainedSponsorship): ShownExecution | null {
  if (state !== "complete" || !trace || trace.ending === null) return null;
  const { ending, failure, abort } = trace;
  return { success: ending === "succeeded", failure, abort, ledgerPlace };
}

/** The ends of sponsorships that can never execute, if the row knows more than its state. */
const DEAD: Readonly<Record<string, (row: ExplainedSponsorship) => string>> = {
  expired_unsigned: ({ expiresAtMs }) =>
    `It was prepared, but nobody executed it before ${iso(expiresAtMs)}. The fund never signed it.`,
  refused: () => "It was never signed: its call was refused after its gas was reserved.",
  rejected: () => "It was signed and sent, and no node executed it. From now on it can never execute.",
  revoked: () => "An operator revoked it, so it can never execute.",
  replaced: () => "Its sender used its sequence number for another transaction, so it can never execute.",
};

function deadText(row: ExplainedSponsorship, [revoked]: readonly Revocation[]): string {
  const { signedAtMs, createdAtMs, expiresAtMs } = row;
  if (revoked !== undefined)
    return `An operator revoked ${revoked.target} at ${iso(revoked.atMs)}, so it can never execute. ${costText(row)}`;
  const known = DEAD[row.trace?.ending ?? ""];
  if (known !== undefined) return `${known(row)} ${costText(row)}`;
  if (signedAtMs === null)
    return `The fund never signed it: nobody executed it before ${iso(expiresAtMs)}, or its call was refused. ${costText(row)}`;
  return `It was signed at ${iso(signedAtMs)} and never executed. It can never execute now. It was made at ${iso(createdAtMs)}, and was valid until ${iso(expiresAtMs)}. ${costText(row)}`;
}

/** Only a Sui fund moves the coins of abandoned sponsorships. */
function costText({ maintenanceAtoms }: ExplainedSponsorship): string {
  return maintenanceAtoms === null || maintenanceAtoms === 0n
    ? "Nothing is charged."
    : `Its gas is not charged. To take its coin back has cost its key ${maintenanceAtoms} MIST.`;
}

/** The answer of the nodes of one network. */
type AskedNode = Pick<FundStory, "network" | "chain">;

/**
 * Explains in plain words a transaction that no known fund has.
 *
 * @param asked null if no node was called.
 * @param fundsRead the number of funds that were read. Null if all funds of the service were read to the end.
 */
export function causeOfUnknown(asked: AskedNode | null, fundsRead: number | null): string {
  const onChain = asked?.chain ?? null;
  if (asked !== null && onChain?.execution) {
    const nobody = fundsRead === null ? "No fund of this service has paid for it." : notFoundIn(fundsRead);
    return `${nobody} The chain shows it: ${causeOfExecution(onChain.execution, chainOf(asked.network))}`;
  }
  const isSilent = onChain === null || onChain.endpoint === null;
  if (fundsRead !== null)
    return `${notFoundIn(fundsRead)} ${isSilent ? "No node answered." : "The node does not show it."}`;
  return `No fund of this service knows it, and ${isSilent ? "no node answered" : "the node does not show it"}.`;
}

/** States the bounds of the kept refusals. */
export const KEPT_REFUSALS = "A fund keeps its last 1,000 refusals.";

/** Explains in plain words that no record of a request or a sender is kept. `fundsRead` as for `causeOfUnknown`. */
export function causeOfNothing(fundsRead: number | null): string {
  return `${fundsRead === null ? "No fund of this service has kept anything of it." : notFoundIn(fundsRead)} ${KEPT_REFUSALS}`;
}

function notFoundIn(fundsRead: number): string {
  return `It was not found in the ${fundsRead} funds read, and there may be others.`;
}
