import type { Connected } from "../session.ts";

/** The gravity of a finding. */
export type Level = "ok" | "warn" | "fail";

/** One line of a diagnosis. Texts of the service are not inert yet. */
export interface Finding {
  readonly level: Level;
  /** The thing that was looked at: a word or two. */
  readonly what: string;
  readonly text: string;
  /** The advice. Null if there is nothing to do. */
  readonly advice: string | null;
}

/** Looks at one part of a deployment. */
export type Check = (connected: Connected) => Promise<readonly Finding[]>;

/** Makes the findings of one part. */
export function findingsOf(what: string) {
  return {
    ok: (text: string): Finding => ({ level: "ok", what, text, advice: null }),
    warn: (text: string, advice: string): Finding => ({ level: "warn", what, text, advice }),
    fail: (text: string, advice: string): Finding => ({ level: "fail", what, text, advice }),
  };
}

/** Returns the findings, or one that reports success if the list is empty. */
export function orOk(findings: readonly Finding[], well: Finding): readonly Finding[] {
  return findings.length > 0 ? findings : [well];
}

/** Returns the graver of two levels. */
export function worst(levels: readonly Level[]): Level {
  if (levels.includes("fail")) return "fail";
  return levels.includes("warn") ? "warn" : "ok";
}

/** Returns a number of things in words: `1 token`, `2 tokens`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
