import { Buffer } from "node:buffer";
import * as z from "zod";
import { type Deps, serviceMasterKeys } from "../../bindings/deps.ts";
import type { Env } from "../../bindings/env.ts";
import type { ProjectObject } from "../../bindings/project.ts";
import type { ReadableObject } from "../../bindings/transfer.ts";
import { utf8 } from "../../bytes.ts";
import { checksOf } from "../../crypto/key-check.ts";
import { nullIfUnopened } from "../../crypto/key-service.ts";
import { openBytes, type SealContext, sealBytes } from "../../crypto/sealing.ts";
import { PART_BYTES, type TransferRecord } from "../../durable/transfer/state.ts";
import type { TablePosition } from "../../durable/transfer/tables.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import { type CopiedClass, type CopiedRows, type FrameContent, manifestOf, sealFrame } from "./frames.ts";
import { REOPENING } from "./members.ts";
import type { MemberKind } from "./views.ts";

/** Calls that were under way at the close end within 25 s. Their rows are in the copy after that. */
export const SETTLED_AFTER_MS = 30_000;

const cellSchema = z.union([z.null(), z.number(), z.string(), z.strictObject({ blob: z.string() })]);
const tablePosition = z.strictObject({ table: z.string(), key: z.array(cellSchema).nullable() }).nullable();

/** Steps of the copy, in their order. An arrived key makes its callers wait, so the keys come first. */
const steps = ["manifest", "key", "wallet", "fund", "project", "end"] as const;
const positionSchema = z.strictObject({
  index: z.int().min(0),
  step: z.enum(steps),
  /** The number of the last object that is copied whole. */
  after: z.int().min(0),
  /** The place among a fund and its archives: 0 is the fund itself. */
  archive: z.int().min(0),
  from: tablePosition,
});
type Position = z.output<typeof positionSchema>;

const FIRST: Position = { index: 0, step: "manifest", after: 0, archive: 0, from: null };

interface Named {
  readonly className: CopiedClass;
  readonly name: string;
  readonly stub: ReadableObject;
}

/** Rows of one object, and the place of its next ones. Null after the last row. */
interface CopiedPart {
  readonly rows: CopiedRows;
  readonly from: Position["from"];
}

/** Counts the objects at the beginning that are read whole, up to those that fill a frame. */
function wholeCount(parts: readonly CopiedPart[]): number {
  let bytes = 0;
  let count = 0;
  for (const { rows, from } of parts) {
    bytes += JSON.stringify(rows.tables).length;
    if (from !== null || (count > 0 && bytes > PART_BYTES)) break;
    count += 1;
  }
  return count;
}

/** One frame as it leaves the service. */
export interface DepartingFrame {
  readonly transferId: string;
  readonly index: number;
  /** Sealed bytes. */
  readonly frame: Uint8Array;
  /** Null after the last frame. */
  readonly nextCursor: string | null;
}

/** Binds a cursor to its transfer. It is sealed, so that no other cursor can skip rows. */
function contextOf({ transferId }: TransferRecord): SealContext {
  return { label: "project-transfer-cursor", boundTo: utf8(transferId) };
}

/**
 * Copies a closed project, one sealed frame a call. A repeat with one cursor gives the same content, because nothing
 * writes to the project any more.
 */
export class Departure {
  readonly #env: Env;
  readonly #deps: Deps;
  readonly #project: ProjectObject;
  readonly #projectId: string;
  readonly #record: TransferRecord;

  constructor(env: Env, deps: Deps, projectId: string, record: TransferRecord) {
    this.#env = env;
    this.#deps = deps;
    this.#project = env.PROJECT.getByName(projectId);
    this.#projectId = projectId;
    this.#record = record;
  }

  /** @returns `bad_params` for a cursor of no copy; `overloaded` while calls may still be under way. */
  async frame(cursor: string | null): Promise<Outcome<DepartingFrame>> {
    if (this.#record.nextFrame === REOPENING)
      return refuse(
        "bad_params",
        "this project is being opened again, so its copy is invalid: close it again for a new copy",
      );
    const position = await this.#positionOf(cursor);
    if (position === null)
      return refuse("bad_params", "this cursor belongs to no copy: begin the copy without a cursor");
    if (this.#deps.clock.nowMs() - this.#record.atMs < SETTLED_AFTER_MS)
      return refuse("overloaded", "calls may still be under way: repeat 30 s after the close");
    const { content, next } = await this.#read(position);
    const { transferId } = this.#record;
    const { index } = position;
    const masterKeys = serviceMasterKeys(this.#deps);
    const frame = await sealFrame(content, { transferId, index }, masterKeys, this.#deps.randomBytes);
    return done({ transferId, index, frame, nextCursor: next === null ? null : await this.#cursorOf(next) });
  }

  /** Writes a position for the caller, who sends it back as it is. */
  async #cursorOf(position: Position): Promise<string> {
    const masterKeys = serviceMasterKeys(this.#deps);
    const text = utf8(JSON.stringify(position));
    const sealed = await sealBytes(text, masterKeys, contextOf(this.#record), this.#deps.randomBytes);
    return Buffer.from(sealed).toString("base64url");
  }

  /** Reads a cursor. Null for any other text. */
  async #positionOf(cursor: string | null): Promise<Position | null> {
    if (cursor === null) return FIRST;
    const masterKeys = serviceMasterKeys(this.#deps);
    const sealed = new Uint8Array(Buffer.from(cursor, "base64url"));
    const opened = await openBytes(sealed, masterKeys, contextOf(this.#record)).catch(nullIfUnopened);
    return opened === null ? null : positionSchema.parse(JSON.parse(new TextDecoder().decode(opened)));
  }

  async #read(position: Position): Promise<{ content: FrameContent; next: Position | null }> {
    const next = (step: Position["step"]): Position => ({
      index: position.index + 1,
      step,
      after: 0,
      archive: 0,
      from: null,
    });
    switch (position.step) {
      case "manifest": {
        const { config } = this.#deps;
        const checks = (await checksOf(this.#deps)).filter(({ secret }) => secret !== "FLOWS_SECRET");
        const { destination } = this.#record;
        const fields = { projectId: this.#projectId, region: config.region, destination, checks: [...checks] };
        return { content: manifestOf(fields), next: next("key") };
      }
      case "wallet":
        return this.#wallets(position, next("fund"));
      case "fund":
        return this.#members("fund", position, next("project"));
      case "project": {
        const { rows, from } = await this.#part("Project", this.#projectId, this.#project, position.from);
        return {
          content: { kind: "objects", objects: [rows] },
          next: from === null ? next("end") : { ...position, index: position.index + 1, from },
        };
      }
      case "key":
        return this.#members("key", position, next("wallet"));
      case "end":
        return { content: { kind: "end" }, next: null };
    }
  }

  /** Reads a page of wallets, as many as fit into a frame. A larger one has frames of its own. */
  async #wallets(position: Position, then: Position): Promise<{ content: FrameContent; next: Position }> {
    const { names, numbers } = await this.#project.transferNames("wallet", position.after);
    // The place of a continued reading belongs to the first wallet.
    const asked = position.from === null ? names : names.slice(0, 1);
    const parts = await Promise.all(
      asked.map((name) => this.#part("Wallet", name, this.#env.WALLET.getByName(name), position.from)),
    );
    const taken = parts.slice(0, wholeCount(parts));
    const [first] = parts;
    if (first === undefined) return { content: { kind: "objects", objects: [] }, next: then };
    const index = position.index + 1;
    if (taken.length === 0)
      return { content: { kind: "objects", objects: [first.rows] }, next: { ...position, index, from: first.from } };
    const after = numbers[taken.length - 1] ?? position.after;
    return {
      content: { kind: "objects", objects: taken.map(({ rows }) => rows) },
      next: { ...position, index, after, from: null },
    };
  }

  /** Reads one part of one fund, of one of its archives, or of one key. */
  async #members(
    kind: MemberKind,
    position: Position,
    then: Position,
  ): Promise<{ content: FrameContent; next: Position }> {
    const { names, numbers } = await this.#project.transferNames(kind, position.after);
    const [name] = names;
    const [number] = numbers;
    if (name === undefined || number === undefined) return { content: { kind: "objects", objects: [] }, next: then };
    const objects = kind === "key" ? [this.#key(name)] : await this.#fundWithArchives(name);
    const object = objects[position.archive];
    if (object === undefined) throw new Error("a copy names an archive that its fund does not have");
    const { rows, from } = await this.#part(object.className, object.name, object.stub, position.from);
    const index = position.index + 1;
    const isLast = from === null && position.archive + 1 === objects.length;
    return {
      content: { kind: "objects", objects: [rows] },
      next: isLast
        ? { ...position, index, after: number, archive: 0, from: null }
        : { ...position, index, archive: position.archive + (from === null ? 1 : 0), from },
    };
  }

  #key(name: string): Named {
    return { className: "AccessKey", name, stub: this.#env.ACCESS_KEY.getByName(name) };
  }

  async #fundWithArchives(fundId: string): Promise<readonly Named[]> {
    const fund = this.#env.FUND.getByName(fundId);
    const archives = await fund.archiveNames();
    return [
      { className: "Fund", name: fundId, stub: fund },
      ...archives.map(
        (name): Named => ({ className: "FundArchive", name, stub: this.#env.FUND_ARCHIVE.getByName(name) }),
      ),
    ];
  }

  async #part(
    className: CopiedClass,
    name: string,
    object: ReadableObject,
    after: TablePosition | null,
  ): Promise<CopiedPart> {
    const { schemaVersion, tables, next } = await object.readStored(after);
    const rows = {
      class: className,
      name,
      schemaVersion,
      isFirst: after === null,
      tables: tables.map(({ table, columns, rows: cells }) => ({
        table,
        columns: [...columns],
        rows: cells.map((row) => [...row]),
      })),
    };
    return { rows, from: next === null ? null : { table: next.table, key: next.key === null ? null : [...next.key] } };
  }
}
