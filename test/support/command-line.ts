import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { allCommands } from "../../functions/service/admin/cli/commands/index.ts";
import { type Exit, exitCodes } from "../../functions/service/admin/cli/exit-codes.ts";
import { gasworks } from "../../functions/service/admin/cli/gasworks.ts";
import { Interrupts } from "../../functions/service/admin/cli/session.ts";
import type { Screen } from "../../functions/service/admin/cli/terminal/screen.ts";
import { LOOPBACK } from "../../shared/cli/ports.ts";

const commands = allCommands();

/** The circumstances of one run of the command line. */
export interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  /** Answers to its questions, in their order. If given, the run has a terminal. */
  readonly answers?: readonly string[];
  readonly input?: string;
  /** Whether both outputs are a terminal of 80 columns. */
  readonly isTerminal?: boolean;
  readonly interrupts?: Interrupts;
  readonly onSleep?: (ms: number) => void | Promise<void>;
}

/** What one run has left. */
export interface Run {
  readonly exit: Exit;
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly questions: readonly string[];
}

/** Runs a command line in this process. A sleep takes no time. */
export async function run(args: readonly string[], circumstances: Circumstances = {}): Promise<Run> {
  const { env = {}, answers, input = "", isTerminal = false, onSleep = () => undefined } = circumstances;
  const written = { out: "", err: "" };
  const output = (name: "out" | "err") => ({
    write: (text: string) => {
      written[name] += text;
    },
    isTerminal,
    columns: () => 80,
  });
  const questions: string[] = [];
  const left = [...(answers ?? [])];
  const ask = async (question: string) => {
    questions.push(question);
    return left.shift() ?? "";
  };
  const screen: Screen = {
    out: output("out"),
    err: output("err"),
    isInteractive: answers !== undefined,
    hasColours: isTerminal && (env.NO_COLOR ?? "") === "",
    ask,
    askSecret: ask,
    readInput: async () => input,
  };
  let nowMs = 1_700_000_000_000;
  const clock = {
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms;
      await onSleep(ms);
    },
  };
  const { interrupts = new Interrupts() } = circumstances;
  const exit = await gasworks(args, commands, { screen, env, clock, interrupts });
  return { exit, code: exitCodes[exit], ...written, questions };
}

/** A folder for the profiles of one test. */
export async function configHome(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gasworks-cli-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** One request that a service of a test has taken. */
export interface Taken {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** An answer of a service of a test. */
export interface Answered {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Leaves the call without an answer. */
  readonly isSilent?: true;
  /** The end of the body: after it, unless named. `cut` closes the connection in its middle. */
  readonly end?: "never" | "cut";
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

function send(response: ServerResponse, { status = 200, headers = {}, body = {}, isSilent, end }: Answered): void {
  if (isSilent) return;
  const isText = typeof body === "string";
  response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json", ...headers });
  const text = isText ? body : JSON.stringify(body);
  if (end === undefined) response.end(text);
  else response.write(text, () => end === "cut" && response.destroy());
}

/** Starts a service that answers as told. @returns the environment that leads to it, and the requests it has taken. */
export async function fakeService(answer: (taken: Taken, calls: number) => Answered) {
  const taken: Taken[] = [];
  const server = createServer(async (request, response) => {
    const call = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers,
      body: await textOf(request),
    };
    taken.push(call);
    send(response, answer(call, taken.length));
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const address = server.address();
  const url = `http://${LOOPBACK}:${typeof address === "object" ? address?.port : ""}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, taken, env: { GASWORKS_URL: url, GASWORKS_TOKEN: "a token of this test" } };
}
