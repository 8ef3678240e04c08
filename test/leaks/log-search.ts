import { Buffer } from "node:buffer";
import * as z from "zod";
import { SECRET_FORMS } from "../../shared/secret-forms.ts";
import { findNeedles } from "./search.ts";

/** The formats of secrets. No log line may have a text of one of them, whether a test or the service made it. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  ...SECRET_FORMS,
  "a one-time link of the dashboard": /\/dashboard\/enter\/[\w-]{43}/,
  "a cookie of the dashboard": /gasworks_dashboard=[\w-]{20}/,
  "the path of a chat service's hook": /\/(services\/T\w+|api\/webhooks\/\d+|hooks)\/\w{8}/,
  "the header of a token": /\bbearer\s+[\w.~+/-]{16}/i,
};

/** The end of an access key or a token. The characters before it name the holder, which is no secret. */
const TAIL_CHARACTERS = 42;
const MIN_SECRET_CHARACTERS = 24;

const eventSchema = z.object({ event: z.string() });

/** A line of the runtime itself has no event. */
function eventOf(line: string): string {
  try {
    return eventSchema.parse(JSON.parse(line)).event;
  } catch {
    return "a line without an event";
  }
}

/** Returns both halves of a secret's end, either of which is as bad as all of it. */
function halvesOf(secret: string): readonly string[] {
  const tail = secret.slice(-TAIL_CHARACTERS);
  const middle = Math.floor(tail.length / 2);
  return [tail.slice(0, middle), tail.slice(middle)];
}

/** Searches the log of one service, each line once. */
export class LogSearch {
  readonly #halves = new Set<string>();
  readonly #own = new Map<string, string>();
  #lines: string[] = [];

  /** Adds a line to those that the next search reads. */
  add(line: string): void {
    this.#lines.push(line);
  }

  /** Adds variables of the service whose values are secrets. The search finds their bytes in every form. */
  keepVars(vars: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(vars))
      if (/SECRET|TOKEN|PEPPER|KEY/.test(name))
        for (const part of value.split(/[\s,]+/)) {
          const text = part.replace(/^(\d+:|[a-z0-9-]+=whsec_)/, "");
          if (text.length >= MIN_SECRET_CHARACTERS) this.#own.set(text, name);
        }
  }

  /** Adds secrets that a test has made. A shorter one than 24 characters may be a word by chance, and is left out. */
  keep(secrets: readonly string[]): void {
    for (const secret of secrets)
      if (secret.length >= MIN_SECRET_CHARACTERS) for (const half of halvesOf(secret)) this.#halves.add(half);
  }

  /** Returns `<kind of secret> in <event>` for each finding in the lines since the last search, and never the secret. */
  search(): string[] {
    const lines = this.#lines;
    this.#lines = [];
    const text = lines.join("\n");
    const halves = [...this.#halves].filter((half) => text.includes(half));
    const own = this.#ownIn([{ name: "the log", bytes: Buffer.from(text) }]).length > 0;
    const formats = Object.entries(FORMATS).filter(([, format]) => format.test(text));
    if (halves.length === 0 && !own && formats.length === 0) return [];
    const found = lines.flatMap((line) => {
      const kinds = formats.filter(([, format]) => format.test(line)).map(([kind]) => kind);
      if (halves.some((half) => line.includes(half))) kinds.push("a secret of a test");
      const event = eventOf(line);
      return [
        ...kinds.map((kind) => `${kind} in ${event}`),
        ...(own ? this.#ownIn([{ name: event, bytes: Buffer.from(line) }]) : []),
      ];
    });
    return [...new Set(found)];
  }

  #ownIn(haystacks: Parameters<typeof findNeedles>[0]): readonly string[] {
    const needles = [...this.#own].flatMap(([text, name]) => {
      const decoded = Buffer.from(text, "base64");
      const isBase64 = decoded.toString("base64") === text && decoded.length >= MIN_SECRET_CHARACTERS;
      return [Buffer.from(text), ...(isBase64 ? [decoded] : [])].map((bytes) => ({ name, bytes }));
    });
    return findNeedles(haystacks, needles);
  }
}

/** Returns the texts of an answer's members that hold a secret: the admin API shows each once. */
export function secretsOf(body: unknown): readonly string[] {
  const { data = {} } = z.looseObject({}).safeParse(body);
  return ["key", "token", "secret"].flatMap((name) => {
    const value = data[name];
    return typeof value === "string" ? [value] : [];
  });
}
