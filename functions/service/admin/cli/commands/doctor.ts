import { type Call, type Command, isOn, JSON_FLAG, SERVICE_FLAGS } from "../command.ts";
import { type Check, type Finding, findingsOf, type Level, worst } from "../doctor/finding.ts";
import { checkNodes, checkSecrets, checkTokens } from "../doctor/operation.ts";
import { checkProjects } from "../doctor/projects.ts";
import { checkReachable, checkReady, checkToken, checkVersion } from "../doctor/service.ts";
import { CommandError, type Exit } from "../exit-codes.ts";
import { connect } from "../service/connect.ts";
import type { Session } from "../session.ts";
import { printJson } from "../show/answer.ts";
import { inert } from "../terminal/inert.ts";
import { startProgress } from "../terminal/progress.ts";
import { type Screen, say, styled } from "../terminal/screen.ts";
import { wrapped } from "../terminal/width.ts";

/** The other checks are impossible without these two. */
const FIRST: readonly (readonly [string, Check])[] = [
  ["service", checkReachable],
  ["token", checkToken],
];
const OTHERS: readonly (readonly [string, Check])[] = [
  ["ready", checkReady],
  ["version", checkVersion],
  ["secrets", checkSecrets],
  ["nodes", checkNodes],
  ["tokens", checkTokens],
  ["projects", checkProjects],
];

const EXITS: Readonly<Record<Level, Exit>> = { ok: "ok", warn: "warning", fail: "failedCheck" };
const COLOURS = { ok: "green", warn: "yellow", fail: "red" } as const;
const LEVEL_WIDTH = 4;
const WHAT_WIDTH = 8;
const INDENT = " ".repeat(LEVEL_WIDTH + WHAT_WIDTH + 4);
const LEAST_ROOM = 30;

function printFinding(screen: Screen, { level, what, text, advice }: Finding): void {
  const mark = styled(screen, COLOURS[level], level.padEnd(LEVEL_WIDTH));
  const room = screen.out.isTerminal
    ? Math.max(LEAST_ROOM, screen.out.columns() - INDENT.length)
    : Number.POSITIVE_INFINITY;
  const [first = "", ...rest] = [
    ...wrapped(inert(text), room),
    ...(advice === null ? [] : wrapped(`→ ${inert(advice)}`, room)),
  ];
  say(screen.out, `${mark}  ${what.padEnd(WHAT_WIDTH)}  ${first}`);
  for (const line of rest) say(screen.out, INDENT + line);
}

/** A check that cannot be made is a finding too. */
function failed(what: string, error: unknown): Finding {
  const text =
    error instanceof CommandError
      ? (error.message.split("\n")[0] ?? "")
      : "the answer has another form than this clone knows";
  return findingsOf(what).fail(text, "correct this first");
}

async function doctor(call: Call, session: Session): Promise<Exit> {
  const connected = await connect(session, call);
  const { screen, clock } = connected;
  const isJson = isOn(call, "json");
  const all: Finding[] = [];
  const make = async (checks: typeof FIRST) => {
    for (const [what, check] of checks) {
      const progress = startProgress(screen, `looking at ${what}`, clock.nowMs);
      const findings = await check(connected)
        .catch((error: unknown) => [failed(what, error)])
        .finally(() => progress.end());
      all.push(...findings);
      if (!isJson) for (const finding of findings) printFinding(screen, finding);
      // A service that cannot be reached would fail every further check with the same words.
      if (checks === FIRST && findings.some(({ level }) => level === "fail") && findings.length === 1) return false;
    }
    return true;
  };
  if (await make(FIRST)) await make(OTHERS);
  const level = worst(all.map((finding) => finding.level));
  if (isJson) printJson(screen, { level, findings: all });
  return EXITS[level];
}

/** Examines a deployment. */
export const doctorCommand: Command = {
  name: "doctor",
  summary: "Examine a deployment: the service, its clock, secrets, nodes, tokens, funds, policies and webhooks",
  positionals: [],
  flags: [JSON_FLAG, ...SERVICE_FLAGS],
  notes: ["The exit code is 0 if all is well, 8 for a warning and 9 if something fails."],
  run: doctor,
};
