import type * as z from "zod";

const COUNTED: Readonly<Record<string, string>> = { string: "characters", array: "values", set: "values" };

/** Returns a bound with its unit: "5", or "5 characters". */
function bounded(bound: number | bigint, origin: string): string {
  const counted = COUNTED[origin];
  return counted === undefined ? String(bound) : `${bound} ${bound === 1 ? counted.slice(0, -1) : counted}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: "must be a time, as in 2026-11-23T08:00:00Z",
  date: "must be a day, as in 2026-11-23",
};

const TYPES: Readonly<Record<string, string>> = { number: "a number", int: "a whole number", boolean: "true or false" };

/** Describes the fault of a value for a person at a terminal. Keeps the schema's own texts. */
export function issueWords(issue: z.core.$ZodIssue): string {
  const isOfPlatform = /^(Invalid|Too (small|big))/.test(issue.message);
  if (!isOfPlatform) return issue.message;
  switch (issue.code) {
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return FORMATS[issue.format] ?? issue.message;
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? `of the type ${issue.expected}`}`;
    case "too_small":
      return `must ${issue.origin in COUNTED ? "have" : "be"} at least ${bounded(issue.minimum, issue.origin)}`;
    case "too_big":
      return `must ${issue.origin in COUNTED ? "have" : "be"} at most ${bounded(issue.maximum, issue.origin)}`;
    default:
      return issue.message;
  }
}
