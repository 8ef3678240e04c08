import type { AuditLog } from "../../audit/log.ts";
import type { FundObject } from "../../bindings/fund.ts";
import type { AuditEntry } from "../../bindings/project.ts";
import type { ArrivingPart, MovingObject, TransferTerms } from "../../bindings/transfer.ts";
import { KeyedMutex } from "../../durable/keyed-mutex.ts";
import { readStored, type TransferRecord, writeStored } from "../../durable/transfer/state.ts";
import type { TablePosition } from "../../durable/transfer/tables.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import type { ProjectParts } from "../parts.ts";
import type { ProjectResources } from "../resources.ts";
import type { ProjectSettings } from "../settings.ts";
import type { CopiedRows } from "./frames.ts";
import type { MemberKind, MemberStep, TransferKind, TransferNames, UnreadyMembers } from "./views.ts";

/** Workers allows one request 1,000 calls. */
const MEMBERS_PER_CALL = 100;
/** Wallets are small, and each has an object of its own. So one frame copies many of them at once. */
const NAMES_PER_PAGE = 100;
/** The number of a closed project that opens again. Nobody may read its copy then. */
export const REOPENING = -1;

interface TransferParts extends ProjectParts {
  readonly settings: ProjectSettings;
  readonly audit: AuditLog;
  readonly resources: ProjectResources;
}

/**
 * Moves a project out of this service or into it. The project closes first, then its keys, then its funds. It opens in
 * the other order, so that no key works before everything that it needs.
 */
export class ProjectTransfer {
  readonly #parts: TransferParts;
  readonly #frames = new KeyedMutex();

  constructor(parts: TransferParts) {
    this.#parts = parts;
  }

  /** True if the project works here. */
  get isOpen(): boolean {
    return this.#parts.transfer.isOpen;
  }

  get record(): TransferRecord | null {
    return this.#parts.transfer.record;
  }

  /**
   * Closes the project. A repeat answers the transfer that closed it.
   *
   * @returns `bad_params` while the project arrives here. Null if it was never created.
   */
  begin(terms: TransferTerms, entry: AuditEntry): Outcome<TransferRecord> | null {
    const { transfer, settings, audit, deps } = this.#parts;
    if (settings.view() === null) return null;
    const before = transfer.record;
    if (before?.state === "arriving")
      return refuse("bad_params", "this project is still arriving here: finish that move first");
    if (before?.state === "closed" && before.nextFrame === REOPENING)
      return refuse("bad_params", "this project is being opened again: finish that first with DELETE");
    return transfer.commit(() => {
      if (transfer.isOpen) audit.append(entry);
      transfer.close(terms, deps.clock.nowMs());
      return done(this.#existing());
    });
  }

  /**
   * Notes that a closed project is to open again. Its copy is not valid any more, because its members open one by one.
   *
   * @returns `bad_params` if it is not closed.
   */
  beginReopen(): Outcome<TransferRecord> {
    const { transfer } = this.#parts;
    if (transfer.record?.state !== "closed")
      return refuse("bad_params", "this project is not closed: there is nothing to reopen");
    return transfer.commit(() => {
      transfer.countFrame(REOPENING);
      return done(this.#existing());
    });
  }

  /** Opens the project that this service has closed. @returns `bad_params` if it is not closed. */
  reopen(entry: AuditEntry): Outcome<TransferRecord> {
    const { transfer, audit, due } = this.#parts;
    const record = transfer.record;
    if (record?.state !== "closed")
      return refuse("bad_params", "this project is not closed: there is nothing to reopen");
    return transfer.commit(() => {
      transfer.reopen(record.transferId);
      audit.append(entry);
      due.rearm();
      return done(record);
    });
  }

  /**
   * Does one step with a page of the project's keys and funds.
   *
   * @param cursor null for the first page. @returns the next one. Throws if a member does not answer.
   */
  async stepMembers(
    kind: MemberKind,
    step: MemberStep,
    terms: TransferTerms,
    cursor: string | null,
  ): Promise<string | null> {
    const { env, resources } = this.#parts;
    const page = resources.list(kind, { limit: MEMBERS_PER_CALL, cursor });
    const objectOf = (id: string): MovingObject =>
      kind === "key" ? env.ACCESS_KEY.getByName(id) : env.FUND.getByName(id);
    await Promise.all(
      page.items.map(async (id) => {
        await stepOne(objectOf(id), step, terms);
        if (step === "complete_and_recover") await recoverOnce(env.FUND.getByName(id), this.#existing().atMs);
      }),
    );
    return page.nextCursor;
  }

  /** Names the funds of a page that cannot move yet. */
  async unreadyFunds(cursor: string | null): Promise<UnreadyMembers> {
    const { env, resources } = this.#parts;
    const page = resources.list("fund", { limit: MEMBERS_PER_CALL, cursor });
    const mayMove = await Promise.all(page.items.map((id) => env.FUND.getByName(id).mayMove()));
    return { unready: page.items.filter((_, index) => mayMove[index] !== true), nextCursor: page.nextCursor };
  }

  /** Names objects of one kind, also wallets whose creation is not confirmed yet. */
  names(kind: TransferKind, after: number): TransferNames {
    const query =
      kind === "wallet"
        ? "SELECT seq, name FROM wallet WHERE seq > ? ORDER BY seq LIMIT ?"
        : "SELECT seq, id AS name FROM member WHERE kind = ?3 AND seq > ?1 ORDER BY seq LIMIT ?2";
    const rows = this.#parts.sql
      .exec<{ seq: number; name: string }>(query, after, NAMES_PER_PAGE, ...(kind === "wallet" ? [] : [kind]))
      .toArray();
    return { names: rows.map(({ name }) => name), numbers: rows.map(({ seq }) => seq), next: rows.at(-1)?.seq ?? null };
  }

  /**
   * Begins the arrival of another service's project, or goes on with it.
   *
   * @returns `bad_params` if a project of this id works here.
   */
  arrive(terms: TransferTerms): Outcome<TransferRecord> {
    const { transfer, settings, deps } = this.#parts;
    return transfer.commit(() => {
      const arriving = transfer.arrive(terms, settings.view() !== null, deps.clock.nowMs());
      if (arriving.ok) transfer.countFrame(Math.max(1, this.#existing().nextFrame));
      return arriving.ok ? done(this.#existing()) : arriving;
    });
  }

  /**
   * Stores the rows of one frame in their objects at once, and one frame at a time. So a frame that was sent twice, and comes late,
   * finds the number after it and writes nothing.
   *
   * @returns `bad_params` if the frame is not the next one, or an object does not take its rows.
   */
  takeRows(transferId: string, index: number, objects: readonly CopiedRows[]): Promise<Outcome<TransferRecord>> {
    return this.#frames.run("frame", async () => {
      const before = this.record;
      if (before === null || before.transferId !== transferId || before.state === "closed")
        return refuse("bad_params", "send frame 0 first: this transfer has not begun here");
      if (index > before.nextFrame)
        return refuse("bad_params", `frame ${index} is too early: send frame ${before.nextFrame}`);
      if (index < before.nextFrame || before.state === "arrived") return done(before);
      const writes = await Promise.allSettled(objects.map((rows) => this.#write({ transferId, ...rows }, rows)));
      // The next frame waits for every write of this one, also if one of them fails.
      for (const [at, { class: className, name }] of objects.entries()) {
        const one = writes[at];
        if (one?.status === "rejected") throw one.reason;
        if (one?.value.ok === false) return refuse("bad_params", `${className} ${name}: ${one.value.error.details}`);
      }
      const { transfer } = this.#parts;
      if (transfer.record?.transferId === transferId) transfer.commit(() => transfer.countFrame(index + 1));
      return done(this.#existing());
    });
  }

  async #write(part: ArrivingPart, { class: className, name }: CopiedRows): Promise<Outcome<null>> {
    const { env } = this.#parts;
    switch (className) {
      case "Wallet":
        return env.WALLET.getByName(name).writeStored(part);
      case "Fund":
        return env.FUND.getByName(name).writeStored(part);
      case "FundArchive":
        return env.FUND_ARCHIVE.getByName(name).writeStored(part);
      case "AccessKey":
        return env.ACCESS_KEY.getByName(name).writeStored(part);
      case "Project":
        return this.#writeOwn(part);
    }
  }

  /** Opens the project once it has arrived whole. */
  complete(transferId: string, entry: AuditEntry): void {
    const { transfer, audit, due } = this.#parts;
    transfer.commit(() => {
      const isNew = !transfer.isOpen;
      transfer.complete(transferId);
      if (isNew && transfer.isOpen) audit.append(entry);
      due.rearm();
    });
  }

  read(from: TablePosition | null) {
    return readStored(this.#parts.sql, from);
  }

  #writeOwn(part: ArrivingPart): Outcome<null> {
    const { transfer, sql } = this.#parts;
    const record = transfer.record;
    if (record?.state !== "arriving" || record.transferId !== part.transferId)
      return refuse("bad_params", `transfer ${part.transferId} has not begun here: send frame 0 first`);
    return transfer.commit(() => writeStored(sql, part));
  }

  #existing(): TransferRecord {
    const { record } = this.#parts.transfer;
    if (record === null) throw new Error("a transfer that was stored is not there");
    return record;
  }
}

/** Has a fund recover, unless a repeat of the last frame finds that it does or did. A fund without an address has nothing to recover. */
async function recoverOnce(fund: FundObject, arrivedAtMs: number): Promise<void> {
  const view = await fund.view();
  if (view === null || view.depositAddress === null) return;
  if (view.recovery === null || view.recovery.startedAtMs < arrivedAtMs) await fund.recover();
}

function stepOne(object: MovingObject, step: MemberStep, terms: TransferTerms): Promise<void> {
  switch (step) {
    case "close":
      return object.closeForTransfer(terms);
    case "reopen":
      return object.reopen(terms.transferId);
    case "complete":
    case "complete_and_recover":
      return object.completeTransfer(terms.transferId);
  }
}
