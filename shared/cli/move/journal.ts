import { randomUUID } from "node:crypto";
import { type FileHandle, open, readFile } from "node:fs/promises";
import * as z from "zod";
import { LaunchError } from "../terminal.ts";

/** The first line. It identifies the requests made for this journal. */
const beginningSchema = z.strictObject({ journal: z.string() });

/**
 * An imminent submission. It is written before the submission, so that a kill leaves a record of every possible
 * effect.
 */
const submittingSchema = z.strictObject({
  submitting: z.string(),
  walletId: z.string(),
  from: z.string(),
  to: z.string(),
  objectIds: z.array(z.string()),
  balances: z.array(z.strictObject({ coinType: z.string(), amount: z.string() })),
  /** Signature of the old wallet. It moves nothing alone. Journals of earlier versions have none. */
  signature: z.string().optional(),
});
/** A line of the journal: a transaction that is about to be submitted. */
export type Submitting = z.output<typeof submittingSchema>;

/** The result of a submission, as the chain has shown it. */
const settledSchema = z.strictObject({ settled: z.string(), executed: z.boolean() });
const lineSchema = z.union([beginningSchema, submittingSchema, settledSchema]);

/** Reads the lines. The last may be incomplete. The process was then killed before it submitted anything. */
function readLines(text: string, path: string): readonly z.output<typeof lineSchema>[] {
  const lines = text.split("\n");
  const whole = lines.slice(0, -1).filter((line) => line !== "");
  try {
    return whole.map((line) => lineSchema.parse(JSON.parse(line)));
  } catch {
    throw new LaunchError(`${path} is not a journal of moves: move it away, or name other wallets`);
  }
}

/** An append-only file of submissions and their results. */
export class Journal {
  readonly #file: FileHandle;
  readonly #open: Map<string, Submitting>;
  /** Unique to this journal. */
  readonly id: string;
  #ended: number;

  private constructor(file: FileHandle, id: string, unsettled: Map<string, Submitting>, ended: number) {
    this.#file = file;
    this.id = id;
    this.#open = unsettled;
    this.#ended = ended;
  }

  static async at(path: string): Promise<Journal> {
    const text = await readFile(path, "utf8").catch(() => "");
    const unsettled = new Map<string, Submitting>();
    const lines = readLines(text, path);
    let id: string | null = null;
    for (const line of lines)
      if ("journal" in line) id = line.journal;
      else if ("settled" in line) unsettled.delete(line.settled);
      else unsettled.set(line.submitting, line);
    const file = await open(path, "a", 0o600);
    // An incomplete line must not run into the next one.
    if (text !== "" && !text.endsWith("\n"))
      await file.truncate(Buffer.byteLength(text.slice(0, text.lastIndexOf("\n") + 1)));
    const ended = lines.filter((line) => "settled" in line).length;
    if (id !== null) return new Journal(file, id, unsettled, ended);
    const begun = new Journal(file, randomUUID(), unsettled, ended);
    await begun.#append({ journal: begun.id });
    return begun;
  }

  /** Counts the submissions with a known end. A run after a kill has the same count. */
  get ended(): number {
    return this.#ended;
  }

  /** Returns the submissions of this wallet without a known end. */
  unsettled(walletId: string): readonly Submitting[] {
    return [...this.#open.values()].filter((line) => line.walletId === walletId);
  }

  async submitting(line: Submitting): Promise<void> {
    await this.#append(line);
    this.#open.set(line.submitting, line);
  }

  async settled(digest: string, executed: boolean): Promise<void> {
    await this.#append({ settled: digest, executed });
    this.#open.delete(digest);
    this.#ended++;
  }

  async #append(line: object): Promise<void> {
    await this.#file.appendFile(`${JSON.stringify(line)}\n`);
    await this.#file.sync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
