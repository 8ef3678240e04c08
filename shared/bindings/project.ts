import type { AuditHead, HashedRow } from "../audit/chain.ts";
import type { AuditFilter } from "../audit/filter.ts";
import type { SealedProof } from "../crypto/key-check.ts";
import type { TransferRecord } from "../durable/transfer/state.ts";
import type { Outcome, Refusal } from "../errors.ts";
import type { AskedCall, RefusedCall } from "../fund/explain/refused-call.ts";
import type { RefusalQuery } from "../fund/explain/sqlite-refused-calls.ts";
import type { Network } from "../networks.ts";
import type { HandOver, ServiceEvent } from "../observe/events.ts";
import type { FilteredPage, FilteredRequest, Page, PageRequest } from "../paging.ts";
import type { DeliveryFilter, WalletFilter } from "../project/filters.ts";
import type { MasterKeyUsage } from "../project/master-key-usage.ts";
import type { CopiedRows } from "../project/transfer/frames.ts";
import type { MemberKind, MemberStep, TransferKind, TransferNames, UnreadyMembers } from "../project/transfer/views.ts";
import type {
  AdmissionTerms,
  DeliveryView,
  NewWebhook,
  ProjectMetrics,
  SealedObject,
  WalletEntry,
  WalletRow,
  WebhookPatch,
  WebhookView,
} from "../project/views.ts";
import type { ProjectDerivation, SecretDerivation } from "../wallet/derivation.ts";
import type { AuditActor } from "./operator.ts";
import type { ReadableObject, TransferTerms } from "./transfer.ts";
import type { WalletView } from "./wallet.ts";

/** A project as an operator sees it. */
export interface ProjectView {
  readonly projectId: string;
  readonly name: string;
  readonly secretDerivation: SecretDerivation;
  /** Null if there is no limit. */
  readonly walletsPerMonth: number | null;
  /** True if a session of a wallet may export it. */
  readonly exportEnabled: boolean;
  /** Sessions from before this epoch are dead. */
  readonly sessionEpoch: number;
  readonly createdAtMs: number;
}

/** A project to create. The object adds the rest. */
export type NewProject = Omit<ProjectView, "createdAtMs" | "sessionEpoch" | "exportEnabled">;

/** A change of a project. Absent fields stay. */
export interface ProjectPatch {
  readonly name?: string;
  readonly walletsPerMonth?: number | null;
  readonly exportEnabled?: boolean;
}

/** The kind of a thing that a project lists. */
export type ResourceKind = "fund" | "key";

/** A fund or key of the project: the facts that never change. Its own object keeps the rest. */
export interface ProjectResource {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly network: Network;
}

/** Result of sending a page of access keys the session epoch. */
export interface AnnouncedEpoch {
  readonly keys: number;
  /** The number of these that did not answer. They may still accept old sessions. */
  readonly silent: number;
  /** Null if this was the last page. */
  readonly nextCursor: string | null;
}

/** `detailJson` is the change as JSON, without secrets. */
export interface AuditEntry {
  readonly action: string;
  readonly target: string;
  readonly detailJson: string;
  /** Absent for a change that no operator made, and from an older Worker. */
  readonly by?: AuditActor;
  /**
   * The name of the request, which the detail has as `request`. If the newest row of the request has the same action and
   * actor, no row is added. Absent for a request that is no repeat of another, and from an older Worker.
   */
  readonly request?: string;
}

/** A row of an audit log. */
export type AuditRow = HashedRow;

/** The `Project` object, as its callers see it. */
export interface ProjectObject extends ReadableObject {
  /**
   * Binds an id, made from the operator's idempotency key, to the first request body. Called before anything is made
   * under the id. So after a crash the request can only be repeated as it was.
   *
   * @param id id of this project, or of a fund or key of it.
   * @param fingerprint fingerprint of the request's body.
   * @returns false if another body came first.
   */
  claimCreation(id: string, fingerprint: string): Promise<boolean>;

  /** Creates the project. A repeat returns the record as it is now. Throws if it exists with other content. */
  create(project: NewProject, entry: AuditEntry): Promise<ProjectView>;

  /** Returns null if the project was never created. */
  view(): Promise<ProjectView | null>;

  /** Returns null if the project was never created. */
  update(patch: ProjectPatch, entry: AuditEntry): Promise<ProjectView | null>;

  /**
   * Lists a fund or key that exists. A repeat changes nothing.
   *
   * @returns the session epoch. A new key must acknowledge it before anybody gets the key, because announcements reach
   *   only listed keys. Throws if the project was never created.
   */
  addResource(member: ProjectResource, entry: AuditEntry): Promise<{ readonly sessionEpoch: number }>;

  /** Returns the network of one of this project's funds. Null if it has no such fund. */
  fundNetwork(fundId: string): Promise<Network | null>;

  /** Returns ids in the order of creation. Null if the project was never created. */
  resources(kind: ResourceKind, page: PageRequest): Promise<Page<string> | null>;

  /**
   * Returns how wallet secrets are derived. It never changes, because another salt makes other wallets. Null if never
   * created.
   */
  derivationTerms(): Promise<ProjectDerivation | null>;

  /**
   * Returns the salt of `derivationTerms` for an export; `export_disabled` unless the operator has switched exports
   * on.
   */
  exportSalt(): Promise<Outcome<Uint8Array>>;

  /**
   * Logs an export before it is given out.
   *
   * @returns `export_disabled` if exports were switched off during the call. The export must then not be given out.
   */
  recordExport(entry: AuditEntry): Promise<Outcome<null>>;

  /**
   * Counts a wallet that is about to be made, once for each name.
   *
   * @returns `quota_reached` at the limit of the month, UTC; `idempotency_conflict` if the call's Idempotency-Key was
   *   used for another wallet; `corrupt_record` if the wallet was made before with another address.
   */
  admitWallet(entry: WalletEntry, terms: Omit<AdmissionTerms, "perMonth">): Promise<Outcome<null>>;

  /** Lists a wallet that was made. A repeat changes nothing. @returns `corrupt_record` if another address is listed. */
  confirmWallet(view: WalletView): Promise<Outcome<null>>;

  /**
   * Returns whether the record of a wallet's object is lost.
   *
   * @returns true if an address is listed for this name.
   */
  missesWallet(name: string): Promise<boolean>;

  /** Records a seal before an object makes it. An operator may delete a version that no record names. */
  recordSealing(object: SealedObject, masterKeyVersion: number): Promise<void>;

  /** Counts the project's sealed objects by master key version. */
  masterKeyUsage(): Promise<readonly MasterKeyUsage[]>;

  /** Tries to open objects that were sealed under a master key version. */
  proveMasterKey(masterKeyVersion: number): Promise<SealedProof>;

  /** Reads what the project counts. Null if it was never created. An earlier build does not have this method. */
  metrics(): Promise<ProjectMetrics | null>;

  /**
   * Keeps the refused call of a wallet, among the last 1,000. An earlier build does not have this method.
   *
   * @param wallet the name of the wallet. Its address becomes the sender. Null or absent: the call names none.
   */
  noteRefusal(asked: AskedCall, refusal: Refusal, wallet?: string | null): Promise<void>;

  /** Lists refused calls of wallets, newest first. An earlier build does not have this method. */
  refusedCalls(query: RefusalQuery): Promise<Page<RefusedCall>>;

  /** Reads the project's counters. Null if it was never created. An earlier build does not have this method. */
  raiseForService(event: ServiceEvent): Promise<void>;

  /** Starts the re-seal of every object under an older master key. A repeat is harmless. */
  startReseal(entry: AuditEntry): Promise<void>;

  /** Lists wallets in the order of their creation. Null if the project was never created. */
  wallets(page: FilteredRequest<WalletFilter>): Promise<FilteredPage<WalletRow> | null>;

  /**
   * Raises the session epoch. An access key that has acknowledged it refuses earlier sessions.
   *
   * @returns false if the project was never created.
   */
  raiseSessionEpoch(entry: AuditEntry): Promise<boolean>;

  /**
   * Sends a page of access keys the session epoch, because one request may call only so many objects. Repeat it with
   * `nextCursor` until that is null.
   *
   * @param cursor null for the first page.
   */
  announceSessionEpoch(cursor: string | null): Promise<AnnouncedEpoch>;

  /**
   * Makes a webhook. A repeat of the same id changes nothing.
   *
   * @returns its secret once, and null in a repeat; `full` if the project can have no more. Null if the project was
   * never created.
   */
  createWebhook(
    webhook: NewWebhook,
    entry: AuditEntry,
  ): Promise<{ readonly view: WebhookView; readonly secret: string | null } | "full" | null>;

  /** Lists webhooks in the order of their creation. Null if the project was never created. */
  webhooks(page: PageRequest): Promise<Page<WebhookView> | null>;

  /** Returns null if there is no such webhook. */
  webhook(id: string): Promise<WebhookView | null>;

  /** Changes a webhook. Enabling it sends its pending events. Null if there is no such webhook. */
  updateWebhook(id: string, patch: WebhookPatch, entry: AuditEntry): Promise<WebhookView | null>;

  /** Deletes a webhook. @returns the webhook as it was. Null if there is no such webhook. */
  deleteWebhook(id: string, entry: AuditEntry): Promise<WebhookView | null>;

  /**
   * Replaces the secret. The previous one signs beside it for a day. With `shownUntilMs`, the view's
   * `previousSecretUntilMs`, it replaces only the secret of then. @returns the new secret. Null if there is no webhook.
   */
  rotateWebhookSecret(
    id: string,
    entry: AuditEntry,
    shownUntilMs?: number | null,
  ): Promise<string | { readonly isReplaced: true } | null>;

  /** Lists deliveries, newest first. Null if there is no such webhook. */
  deliveries(webhookId: string, page: FilteredRequest<DeliveryFilter>): Promise<FilteredPage<DeliveryView> | null>;

  /** Sends an event to a webhook again. Null if it has had no such event. */
  resendDelivery(webhookId: string, eventId: string, entry: AuditEntry): Promise<DeliveryView | null>;

  /** Takes in events that another object has raised. A repeated one changes nothing. */
  takeEvents(input: HandOver): Promise<void>;

  /** Returns the last transfer of the project, out of this service or into it. Null if there was none. */
  transferRecord(): Promise<TransferRecord | null>;

  /** Closes the project for a transfer: see `ProjectTransfer.begin`. Null if it was never created. */
  beginTransfer(terms: TransferTerms, entry: AuditEntry): Promise<Outcome<TransferRecord> | null>;

  /** Opens a closed project again. To call after its keys and funds. @returns `bad_params` if it is not closed. */
  reopen(entry: AuditEntry): Promise<Outcome<TransferRecord>>;

  /** Does one step with a page of keys or funds. @returns the next cursor. Throws if one of them does not answer. */
  stepMembers(kind: MemberKind, step: MemberStep, terms: TransferTerms, cursor: string | null): Promise<string | null>;

  /** Names the funds of a page that cannot move yet. */
  unreadyFunds(cursor: string | null): Promise<UnreadyMembers>;

  /** Names some of the project's objects of one kind, in the order of their creation. */
  transferNames(kind: TransferKind, after: number): Promise<TransferNames>;

  /** Begins an arrival, or continues it. @returns `bad_params` if a project of this id works here. */
  arrive(terms: TransferTerms): Promise<Outcome<TransferRecord>>;

  /** Stores the rows of one frame in their objects: see `ProjectTransfer.takeRows`. */
  takeRows(transferId: string, index: number, objects: readonly CopiedRows[]): Promise<Outcome<TransferRecord>>;

  /** Records that a closed project is to open again. @returns `bad_params` if it is not closed. */
  beginReopen(): Promise<Outcome<TransferRecord>>;

  /** Opens the project once it has arrived whole. A repeat changes nothing. */
  completeTransfer(transferId: string, entry: AuditEntry): Promise<void>;

  /** Appends a row for a change that another object makes. */
  record(entry: AuditEntry): Promise<void>;

  /** Returns the newest chained audit row. Null without one. */
  auditHead(): Promise<AuditHead | null>;

  /** Lists audit rows, newest first. Null if the project was never created. */
  audit(page: FilteredRequest<AuditFilter>): Promise<FilteredPage<AuditRow> | null>;
}
