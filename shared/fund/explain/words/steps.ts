import { formatCoin } from "../../../coin-text.ts";
import type { Chain } from "../../../networks.ts";
import type { LedgerKind } from "../../ledger/books.ts";
import { placeText, REVOCATION_LAG_MS } from "../cause.ts";
import type { AnsweredLedgerRow, AnsweredSponsorship, AnsweredStory } from "./answer.ts";
import { executionText } from "./execution.ts";
import type { ExplainedStep } from "./explanation.ts";
import { shortened, shortTarget } from "./readable.ts";
import { executionOf, type ShownExecution } from "./sponsorship-endings.ts";
import { textOf } from "./text-of.ts";

/** The words of a change of the fund's money. */
export interface LedgerWords {
  readonly title: string;
  readonly what: string;
}

/** The words of each kind of ledger row. */
export const LEDGER_WORDS: Readonly<Record<LedgerKind, LedgerWords>> = {
  deposit: { title: "Deposited", what: "Money came to the fund" },
  reserve: { title: "Withheld", what: "The fund set its gas budget and fee aside" },
  release: { title: "Freed", what: "The fund freed what it had set aside" },
  charge: { title: "Charged", what: "The chain charged the fund" },
  recycle: { title: "Taken back", what: "The fund moved the coins of abandoned sponsorships" },
  split: { title: "Split", what: "The fund split its coins" },
  convert: { title: "Converted", what: "The fund converted its money into the form that pays" },
  withdraw: { title: "Withdrawn", what: "The fund paid out to the address that an owner named" },
  adjustment: { title: "Adjusted", what: "The chain showed another amount than the books" },
  correction: { title: "Corrected", what: "A recovery took the chain's amounts into older books" },
};

/** The changes by operators that withdraw signatures. */
const REVOCATION_WORDS: Readonly<Record<string, string>> = {
  "key.revoke": "An operator revoked the signatures of the key",
  "fund.revoke": "An operator revoked the signatures of the fund",
};

const REVOKED = "Revoked";

function changeText(row: AnsweredLedgerRow, chain: Chain): string {
  const changes = [
    { what: "balance", atoms: BigInt(row.balance) },
    { what: "in flight", atoms: BigInt(row.inFlight) },
    { what: "fees", atoms: BigInt(row.accruedFees) },
  ].filter(({ atoms }) => atoms !== 0n);
  const signed = (atoms: bigint) => `${atoms > 0n ? "+" : ""}${formatCoin(chain, atoms)}`;
  return changes.map(({ what, atoms }) => `${what} ${signed(atoms)}`).join(", ");
}

/** Makes the step of a change of the fund's money. */
export function ledgerStep(row: AnsweredLedgerRow, chain: Chain): ExplainedStep {
  const { title, what } = textOf(LEDGER_WORDS, row.kind) ?? { title: row.kind, what: "The fund's money changed" };
  const change = changeText(row, chain);
  return { at: row.at, title, text: change === "" ? `${what}.` : `${what}: ${change}.`, tone: "unknown" };
}

/** Makes the step of the execution. Empty if it or its time is not known. */
export function executionSteps(shown: ShownExecution | null, chain: Chain): readonly ExplainedStep[] {
  if (shown === null || shown.execution.at === null) return [];
  const { execution, endpoint, words } = shown;
  const { status, tone } = words;
  const place = execution.ledgerPlace === null ? "" : `, at ${placeText(chain, execution.ledgerPlace)}`;
  const node = endpoint === null ? "" : ` Seen at ${endpoint}.`;
  return [
    { at: shown.execution.at, title: status, text: `${sentenceOf(executionText(execution))}${place}.${node}`, tone },
  ];
}

function sentenceOf(text: string): string {
  return text.startsWith("0x") ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Makes the time line of a sponsorship, oldest first. */
export function sponsorshipSteps(
  row: AnsweredSponsorship,
  story: Pick<AnsweredStory, "fundId" | "ledger" | "revocations" | "chain" | "sponsorships">,
  chain: Chain,
): readonly ExplainedStep[] {
  const calls = (row.targets ?? []).map(shortTarget).join(", ");
  const asked = `Key ${shortened(row.keyId)} asked for sender ${shortened(row.sender)}${calls === "" ? "" : `: ${calls}`}.`;
  // A step of several sponsorships without a row of its own cannot be assigned by its name.
  const isOnly = story.sponsorships.length === 1;
  const ledger = story.ledger.filter(({ reference }) => isOnly || reference === row.digest);
  const ended = ledger.filter(({ kind }) => kind !== "reserve");
  const endedMs = Math.min(...ended.map(({ at }) => Date.parse(at)));
  // A later revocation did not end it.
  const revocations = story.revocations.filter(
    ({ at, target }) =>
      Date.parse(at) >= Date.parse(row.createdAt) &&
      Date.parse(at) <= endedMs + REVOCATION_LAG_MS &&
      (target === row.keyId || target === story.fundId),
  );
  const steps: ExplainedStep[] = [
    {
      at: row.createdAt,
      title: "Prepared",
      text: `${asked} The policies of fund and key allowed it.`,
      tone: "unknown",
    },
    // The fund withholds before it signs, often within the same millisecond.
    ...ledger.filter(({ kind }) => kind === "reserve").map((each) => ledgerStep(each, chain)),
    ...(row.signedAt === null ? [] : [signedStep(row, row.signedAt)]),
    ...revocations.map(revokedStep),
    ...ended.map((each) => ledgerStep(each, chain)),
    ...executionSteps(executionOf(story, row), chain),
  ];
  // A revocation precedes the end that it caused, even if the clocks of the two objects disagree.
  const placeMs = ({ at, title }: ExplainedStep) =>
    title === REVOKED ? Math.min(Date.parse(at), endedMs) : Date.parse(at);
  return steps.toSorted((one, other) => placeMs(one) - placeMs(other));
}

function revokedStep({ at, action, target }: AnsweredStory["revocations"][number]): ExplainedStep {
  const what = textOf(REVOCATION_WORDS, action) ?? `An operator changed it by ${action}`;
  return { at, title: REVOKED, text: `${what} ${shortened(target)}.`, tone: "bad" };
}

function signedStep({ gasObjectId, gasPaidBy }: AnsweredSponsorship, at: string): ExplainedStep {
  const free = gasPaidBy === "network" ? ", and the network charges no gas" : "";
  const coin = gasObjectId === null ? free : ` with coin ${shortened(gasObjectId)}`;
  return { at, title: "Signed", text: `The fund signed${coin}.`, tone: "unknown" };
}
