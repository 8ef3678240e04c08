import { createInterface } from "node:readline/promises";
import { CommandError } from "../exit-codes.ts";

/** The two ends of a terminal. */
export interface Dialogue {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** True if the input sends keys, such as Ctrl-C, and false if it sends lines. */
  readonly terminal: boolean;
}

/**
 * Reads a line after a question. The end of the input, such as Ctrl-D, is an empty line.
 *
 * @throws CommandError if the person presses Ctrl-C.
 */
export async function askOn(dialogue: Dialogue, question: string): Promise<string> {
  const lines = createInterface(dialogue);
  const interrupted = new Promise<never>((_, reject) => {
    lines.on("SIGINT", () => reject(new CommandError("interrupted", "interrupted")));
  });
  const ended = new Promise<string>((resolve) => {
    lines.on("close", () => resolve(""));
  });
  let isAnswered = false;
  const answered = lines.question(question).then(
    (answer) => {
      isAnswered = true;
      return answer;
    },
    // The platform rejects its question at the end of the input.
    () => ended,
  );
  try {
    return await Promise.race([answered, interrupted, ended]);
  } finally {
    lines.close();
    // Otherwise the next line would stand beside the question.
    if (!isAnswered) dialogue.output.write("\n");
  }
}
