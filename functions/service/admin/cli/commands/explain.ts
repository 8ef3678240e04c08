import type { ExplainedAnswer } from "../../../../../shared/fund/explain/words/answer.ts";
import { explainInWords } from "../../../../../shared/fund/explain/words/explain.ts";
import { secretIn } from "../../../../../shared/secret-forms.ts";
import { type Call, type Command, isOn, JSON_FLAG, ownFlag, SERVICE_FLAGS, textOf } from "../command.ts";
import { CommandError, type Exit } from "../exit-codes.ts";
import { usageError } from "../parse.ts";
import { connect } from "../service/connect.ts";
import type { Connected, Session } from "../session.ts";
import { printJson } from "../show/answer.ts";
import { explanationLines } from "../show/explanation.ts";
import { inert } from "../terminal/inert.ts";
import { startProgress } from "../terminal/progress.ts";
import { say } from "../terminal/screen.ts";
import { explainedAnswerSchema } from "./explained-answer.ts";

const DAY_MS = 86_400_000;
const HEX = /^0x[0-9a-fA-F]+$/;
/** A hash on Aptos, and an address of either chain. */
const LONG_HEX = /^0x[0-9a-fA-F]{64}$/;
const DIGEST = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

interface Question {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Returns the service's answer, whole and in the form for words. */
async function answerTo({ service }: Connected, { path, query }: Question) {
  const { body } = await service.call({ method: "GET", path, query });
  const answer = explainedAnswerSchema.safeParse(body);
  if (answer.success) return { body, answer: answer.data };
  throw new CommandError(
    "fault",
    "the answer has another form than this clone knows: --json prints it in gasworks transaction show",
  );
}

/** Returns whether the service or a node knows anything of it. */
function isKnown({ isOnlyOnChain, stories }: ExplainedAnswer): boolean {
  return (
    isOnlyOnChain ||
    stories.some(
      ({ sponsorships, refusals, ledger, chain }) =>
        sponsorships.length + refusals.length + ledger.length > 0 || (chain?.execution ?? null) !== null,
    )
  );
}

/** Returns the question about a sender. Without times it is about the last day. */
function ofSender(sender: string, call: Call, { clock }: Session): Question {
  const nowMs = clock.nowMs();
  const to = textOf(call, "to") ?? new Date(nowMs).toISOString();
  const toMs = Date.parse(to);
  const from = textOf(call, "from") ?? new Date((Number.isNaN(toMs) ? nowMs : toMs) - DAY_MS).toISOString();
  return { path: "/transactions", query: { sender: sender.toLowerCase(), from, to } };
}

/** Returns the questions that a word may mean, in the order in which they are put. */
function questionsOf(word: string, call: Call, session: Session): readonly Question[] {
  const hasTimes = textOf(call, "from") !== undefined || textOf(call, "to") !== undefined;
  if (LONG_HEX.test(word)) {
    const digest = { path: `/transactions/${word.toLowerCase()}`, query: {} };
    return hasTimes ? [ofSender(word, call, session)] : [digest, ofSender(word, call, session)];
  }
  if (HEX.test(word))
    throw usageError("a hash or an address has 0x and 64 hex digits: this one is cut off", explainCommand);
  if (hasTimes) throw usageError("--from and --to go with the address of a sender", explainCommand);
  if (DIGEST.test(word)) return [{ path: `/transactions/${word}`, query: {} }];
  return [{ path: "/transactions", query: { requestId: word } }];
}

async function explain(call: Call, session: Session): Promise<Exit> {
  const { words, typed } = call;
  const secret = secretIn(words[0] ?? "");
  // The secret would be a part of a URL, and the shell's history keeps it.
  if (secret !== null)
    throw usageError(
      `that is ${secret}, and nothing was sent. The history of your shell has it: replace it`,
      explainCommand,
    );
  const questions = questionsOf(words[0] ?? "", call, session);
  const connected = await connect(session, call);
  const { screen, clock } = connected;
  const scope = Object.fromEntries(
    ["project", "fund"].flatMap((name) => (typed.has(name) ? [[name, textOf(call, name) ?? ""]] : [])),
  );
  const progress = startProgress(screen, "searching the funds and asking the nodes", clock.nowMs);
  let answered: Awaited<ReturnType<typeof answerTo>> | null = null;
  try {
    for (const { path, query } of questions) {
      answered = await answerTo(connected, { path, query: { ...query, ...scope } });
      if (isKnown(answered.answer)) break;
    }
  } finally {
    progress.end();
  }
  if (answered === null) throw usageError(`${inert(words[0] ?? "")} cannot be explained`, explainCommand);
  if (isOn(call, "json")) printJson(screen, answered.body);
  else for (const line of explanationLines(explainInWords(answered.answer), screen)) say(screen.out, line);
  return isKnown(answered.answer) ? "ok" : "notFound";
}

/** Explains what happened to a transaction, a request or a sender. */
export const explainCommand: Command = {
  name: "explain",
  summary:
    "Explain what happened: a transaction by its digest or hash, a refused call by its x-request-id, or a sender",
  positionals: [
    {
      name: "what",
      description: "a digest, a hash, the address of a sender, or a request id",
      isRequired: true,
      schema: null,
    },
  ],
  flags: [
    ownFlag("from", "time", "with a sender: from this time on, a day before --to unless given"),
    ownFlag("to", "time", "with a sender: before this time, now unless given"),
    ownFlag("project", "project", "the only project whose funds are searched"),
    ownFlag("fund", "fund", "the only fund that is searched"),
    JSON_FLAG,
    ...SERVICE_FLAGS,
  ],
  notes: ["The exit code is 4 if nothing is known of it."],
  run: explain,
};
