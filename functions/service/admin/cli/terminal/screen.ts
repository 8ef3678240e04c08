import { styleText } from "node:util";
import { wrapped } from "./width.ts";

/** One output of a command. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** The columns of the terminal now. */
  readonly columns: () => number;
}

/** The connections of a command with its caller. Tests give their own. */
export interface Screen {
  readonly out: Output;
  readonly err: Output;
  /** True if a person can answer: the input and the standard error are terminals. */
  readonly isInteractive: boolean;
  /** Whether the output may have colours: it is a terminal, and NO_COLOR is not set. */
  readonly hasColours: boolean;
  /** Reads a line after a question. */
  ask(question: string): Promise<string>;
  /** Reads a line that the terminal does not show. */
  askSecret(question: string): Promise<string>;
  /** Reads the standard input to its end. */
  readInput(): Promise<string>;
}

/** Prints a text of sentences. On a terminal its lines break at spaces, and keep their indent. */
export function sayText(screen: Screen, output: Output, style: Parameters<typeof styleText>[0], text: string): void {
  for (const line of text.split("\n")) {
    const [indent = ""] = /^ */.exec(line) ?? [];
    const room = output.isTerminal ? output.columns() - indent.length : Number.POSITIVE_INFINITY;
    for (const part of wrapped(line.slice(indent.length), room)) say(output, styled(screen, style, indent + part));
  }
}

/** Prints a line. */
export function say(output: Output, text = ""): void {
  output.write(`${text}\n`);
}

/** Returns a text in a style, if the screen has colours. */
export function styled(
  screen: Pick<Screen, "hasColours">,
  style: Parameters<typeof styleText>[0],
  text: string,
): string {
  return screen.hasColours ? styleText(style, text, { validateStream: false }) : text;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns whether an output gets colours: https://no-color.org. */
export function mayColour(output: Pick<Output, "isTerminal">, env: Environment): boolean {
  return output.isTerminal && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
}
