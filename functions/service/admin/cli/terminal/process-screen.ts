import { text } from "node:stream/consumers";
import { CommandError } from "../exit-codes.ts";
import { askOn } from "./ask.ts";
import { mayColour, type Output, type Screen } from "./screen.ts";

const DEFAULT_COLUMNS = 80;
const MAX_SECRET_CHARACTERS = 4_096;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ERASE = new Set(["\u007f", "\b"]);
const LINE_END = new Set(["\r", "\n", CTRL_D]);

function outputOf(stream: NodeJS.WriteStream): Output {
  // A reader such as `head` may close the pipe early. That is no fault.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  return {
    write: (line) => void stream.write(line),
    isTerminal: stream.isTTY === true,
    // A terminal that does not know its size says 0.
    columns: () => stream.columns || DEFAULT_COLUMNS,
  };
}

/** Reads a line without echo. The terminal gets its own mode back however it ends. */
function readSecret(input: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let secret = "";
    const end = (finish: () => void) => {
      input.off("data", take);
      input.setRawMode(false);
      input.pause();
      finish();
    };
    const take = (chunk: string) => {
      for (const key of chunk) {
        if (key === CTRL_C) return end(() => reject(new CommandError("interrupted", "interrupted")));
        if (LINE_END.has(key)) return end(() => resolve(secret));
        if (ERASE.has(key)) secret = secret.slice(0, -1);
        else if (secret.length < MAX_SECRET_CHARACTERS) secret += key;
      }
    };
    input.setRawMode(true);
    input.setEncoding("utf8");
    input.on("data", take);
    input.resume();
  });
}

/** Returns the screen of this process. Questions go to the standard error, so that the output stays clean. */
export function processScreen(): Screen {
  const { stdin, stdout, stderr, env } = process;
  const [out, err] = [outputOf(stdout), outputOf(stderr)];
  return {
    out,
    err,
    isInteractive: stdin.isTTY === true && err.isTerminal,
    hasColours: mayColour(out, env),
    ask: (question) => askOn({ input: stdin, output: stderr, terminal: stdin.isTTY === true }, question),
    askSecret: async (question) => {
      err.write(question);
      try {
        return await readSecret(stdin);
      } finally {
        err.write("\n");
      }
    },
    readInput: () => text(stdin),
  };
}
