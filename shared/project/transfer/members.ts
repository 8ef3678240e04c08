import type { AuditEntry } from "../../bindings/project.ts";
import type { ArrivingPart, MovingObject, TransferTerms } from "../../bindings/transfer.ts";
import { readStored, type TransferRecord, writeStored } from "../../durable/transfer/state.ts";
import type { TablePosition } from "../../durable/transfer/tables.ts";
import { done, type Outcome, refuse } from "../../errors.ts";
import type { AuditLog } from "../audit.ts";
import type { ProjectParts } from "../parts.ts";
import type { ProjectResources } from "../resources.ts";
import type { ProjectSettings } from "../settings.ts";
import type { MemberKind, MemberStep, TransferKind, TransferNames, UnreadyMembers } from "./views.ts";

/** Workers allows one request 1,000 calls. */
const MEMBERS_PER_CALL = 100;
const NAMES_PER_PAGE = 20;

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

  constructor(parts: TransferParts) {
    this.#parts = parts;
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
    if (transfer.record?.state === "arriving") return refuse("bad_params", "this project is still arriving here");
    return transfer.commit(() => {
      if (transfer.isOpen) audit.append(entry);
      transfer.close(terms, deps.clock.nowMs());
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
    await Promise.all(page.items.map((id) => stepOne(objectOf(id), step, terms)));
    return page.nextCursor;
  }

  /** Names those of a page of funds that cannot move yet. */
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
      return arriving.ok ? done(this.#existing()) : arriving;
    });
  }

  /** Notes that a frame is stored. The number never goes back. */
  countFrame(transferId: string, nextFrame: number): void {
    const { transfer } = this.#parts;
    const record = transfer.record;
    if (record?.transferId !== transferId || record.state !== "arriving" || nextFrame <= record.nextFrame) return;
    transfer.commit(() => transfer.countFrame(nextFrame));
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

  /** @returns `bad_params` unless this transfer arrives here. */
  write(part: ArrivingPart): Outcome<null> {
    const { transfer, sql } = this.#parts;
    const record = transfer.record;
    if (record?.state !== "arriving" || record.transferId !== part.transferId)
      return refuse("bad_params", `transfer ${part.transferId} does not arrive here`);
    return transfer.commit(() => writeStored(sql, part));
  }

  #existing(): TransferRecord {
    const { record } = this.#parts.transfer;
    if (record === null) throw new Error("a transfer that was stored is not there");
    return record;
  }
}

function stepOne(object: MovingObject, step: MemberStep, terms: TransferTerms): Promise<void> {
  switch (step) {
    case "close":
      return object.closeForTransfer(terms);
    case "reopen":
      return object.reopen(terms.transferId);
    case "complete":
      return object.completeTransfer(terms.transferId);
  }
}
