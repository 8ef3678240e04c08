import { type Compared, doesAgree, type LeftOut, type Replay } from "../devchain/truth/cases.ts";
import { type Chain, isListed, listedDifferences } from "../devchain/truth/listed-differences.ts";
import { withoutIds } from "../devchain/truth/names.ts";

const SHOWN_CASES = 10;
const SHOWN_DIFFERENCES = 3;
const SHOWN_CHARACTERS = 200;
const UNPRINTABLE = /[^\x20-\x7e]/g;

/** What a node of one chain has said. */
export interface Report {
  readonly lines: readonly string[];
  /** Each case that was asked agrees, or differs only in ways that are listed. */
  readonly isAsRecorded: boolean;
}

/** Compares a node with the recorded ones, for a person. `withoutSecrets` removes the secrets of its URL. */
export function reportOf(
  chain: Chain,
  host: string,
  { cases, leftOut }: Replay,
  withoutSecrets: (text: string) => string,
  listed = listedDifferences(),
): Report {
  const differing = cases.filter((one) => !doesAgree(one) && one.unanswered === null);
  const strange = differing
    .map((one) => ({ ...one, differences: one.differences.filter((it) => !isListed(chain, one.name, it, listed)) }))
    .filter(({ differences }) => differences.length > 0);
  const unanswered = cases.filter((one) => one.unanswered !== null);
  const counts = [
    `${cases.length + leftOut.length} recorded cases`,
    `${cases.filter(doesAgree).length} agree`,
    `${differing.length - strange.length} differ only as listed`,
    `${strange.length} differ`,
    `${unanswered.length} unanswered`,
    `${leftOut.length} left out`,
  ];
  const text = (said: string) => short(withoutIds(withoutSecrets(said)));
  const lines = [
    `${chain} at ${host}: ${counts.join(", ")}`,
    ...reasonsOf(leftOut),
    ...atMost(unanswered, (one) => [`  ${text(one.name)}: ${text(one.unanswered ?? "")}`]),
    ...atMost(strange, (one) => differencesOf(one, text)),
  ];
  return { lines, isAsRecorded: strange.length === 0 && unanswered.length === 0 };
}

function reasonsOf(leftOut: readonly LeftOut[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { reason } of leftOut) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `  left out, ${count}: ${reason}`);
}

function differencesOf({ name, request, differences }: Compared, text: (said: string) => string): readonly string[] {
  return [
    `  ${text(name)}`,
    `    request   ${text(request)}`,
    ...differences
      .slice(0, SHOWN_DIFFERENCES)
      .flatMap(({ at, recorded, asked }) => [
        `    at        ${text(at || "the answer")}`,
        `    recorded  ${text(recorded)}`,
        `    this node ${text(asked)}`,
      ]),
    ...(differences.length > SHOWN_DIFFERENCES ? [`    and ${differences.length - SHOWN_DIFFERENCES} more`] : []),
  ];
}

function atMost(cases: readonly Compared[], linesOf: (one: Compared) => readonly string[]): readonly string[] {
  const rest = cases.length - SHOWN_CASES;
  return [...cases.slice(0, SHOWN_CASES).flatMap(linesOf), ...(rest > 0 ? [`  and ${rest} more such cases`] : [])];
}

/** One line of a terminal, whatever a node has put into it. */
function short(text: string): string {
  const line = text.replace(UNPRINTABLE, "?");
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}...` : line;
}
