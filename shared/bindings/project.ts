import type { SealedProof } from "../crypto/key-check.ts";
import type { Outcome } from "../errors.ts";
import type { Network } from "../networks.ts";
import type { HandOver, ServiceEvent } from "../observe/events.ts";
import type { Page, PageRequest } from "../paging.ts";
import type { MasterKeyUsage } from "../project/master-key-usage.ts";
import type {
  AdmissionTerms,
  DeliveryView,
  NewWebhook,
  SealedObject,
  WalletEntry,
  WalletRow,
  WebhookPatch,
  WebhookView,
} from "../project/views.ts";
import type { ProjectDerivation, SecretDerivation } from "../wallet/derivation.ts";
import type { WalletView } from "./wallet.ts";

export interface ProjectView {
  readonly projectId: string;
  readonly name: string;
  readonly secretDerivation: SecretDerivation;
  /** Null: no limit. */
  readonly walletsPerMonth: number | null;
  /** Whether whoever has a session of a wallet gets an export of it. */
  readonly exportEnabled: boolean;
  /** Sessions from before this epoch are dead. */
  readonly sessionEpoch: number;
  readonly createdAtMs: number;
}

export type NewProject = Omit<ProjectView, "createdAtMs" | "sessionEpoch" | "exportEnabled">;

export interface ProjectPatch {
  readonly name?: string;
  readonly walletsPerMonth?: number | null;
  readonly exportEnabled?: boolean;
}

export type ResourceKind = "fund" | "key";

/** A fund or key of the project: what never changes about it. The rest, its own object knows. */
export interface ProjectResource {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly network: Network;
}

/** What came of telling some access keys the session epoch. */
export interface AnnouncedEpoch {
  readonly keys: number;
  /** Of these, how many did not answer: they may accept old sessions still. */
  readonly unreachable: number;
  /** Null: these were the last. */
  readonly nextCursor: string | null;
}

/** `detailJson` is the change as JSON, without secrets. */
export interface AuditEntry {
  readonly action: string;
  readonly target: string;
  readonly detailJson: string;
}

export interface AuditRow extends AuditEntry {
  readonly seq: number;
  readonly atMs: number;
}

/** The `Project` object, as its callers see it. */
export interface ProjectObject {
  /**
   * Takes an id, which comes from the operator's idempotency key, for what they asked for first. Called before anything
   * is made under the id, so that a crash in between leaves a request that can only be repeated as it was.
   *
   * @param id of this project, or of a fund or key of it.
   * @param fingerprint of the request's body.
   * @returns false where the id was taken for another body.
   */
  claimCreation(id: string, fingerprint: string): Promise<boolean>;

  /** Creating the same project again answers the record as it is now. */
  create(project: NewProject, entry: AuditEntry): Promise<ProjectView>;

  /** Null: never created. */
  view(): Promise<ProjectView | null>;

  /** Null: never created. */
  update(patch: ProjectPatch, entry: AuditEntry): Promise<ProjectView | null>;

  /**
   * Lists a fund or key that exists. A repeat changes nothing.
   *
   * @returns the session epoch, which a new key has to acknowledge before it is handed out: announcements reach those
   * that are listed.
   */
  addResource(member: ProjectResource, entry: AuditEntry): Promise<{ readonly sessionEpoch: number }>;

  /** The network of one of this project's funds; null: it has no such fund. */
  fundNetwork(fundId: string): Promise<Network | null>;

  /** Ids in the order of creation. Null: never created. */
  resources(kind: ResourceKind, page: PageRequest): Promise<Page<string> | null>;

  /** How wallet secrets of the project are derived. Permanent: another salt would be other wallets. Null: never created. */
  derivationTerms(): Promise<ProjectDerivation | null>;

  /** The salt of `derivationTerms`, which an export shows; `export_disabled` unless the operator has switched exports on. */
  exportSalt(): Promise<Outcome<Uint8Array>>;

  /**
   * Logs an export that is about to be handed out.
   *
   * @returns `export_disabled` where exports have been switched off meanwhile: it must not be.
   */
  recordExport(entry: AuditEntry): Promise<Outcome<null>>;

  /**
   * Counts a wallet that is about to be made, once for each name. `quota_reached` at the limit of the month, UTC;
   * `idempotency_conflict` where the call's Idempotency-Key was used for another wallet; `corrupt_record` where the
   * wallet was made before, with another address.
   */
  admitWallet(entry: WalletEntry, terms: Omit<AdmissionTerms, "perMonth">): Promise<Outcome<null>>;

  /** The wallet has been made. A repeat changes nothing. `corrupt_record` where another address was handed out for it. */
  confirmWallet(view: WalletView): Promise<Outcome<null>>;

  /**
   * Asked by a wallet's object that has no record.
   *
   * @returns whether an address was handed out for this name, so that the record is lost.
   */
  missesWallet(name: string): Promise<boolean>;

  /** To be told before an object of the project seals a key: a version that nobody has told of may be taken away. */
  recordSealing(object: SealedObject, masterKeyVersion: number): Promise<void>;

  /** Under which master key versions everything is sealed that belongs to the project. */
  masterKeyUsage(): Promise<readonly MasterKeyUsage[]>;

  /** Tries to open something that was sealed under a master key version. */
  proveMasterKey(masterKeyVersion: number): Promise<SealedProof>;

  /** Raises an event that concerns every project. */
  raiseForService(event: ServiceEvent): Promise<void>;

  /** Has everything re-sealed that is not under the current master key. A repeat goes on; it never harms. */
  startReseal(entry: AuditEntry): Promise<void>;

  /** In the order of their creation. Null: never created. */
  wallets(page: PageRequest): Promise<Page<WalletRow> | null>;

  /**
   * Raises the session epoch: sessions from before it are dead for every access key that has heard of it.
   *
   * @returns false: never created.
   */
  raiseSessionEpoch(entry: AuditEntry): Promise<boolean>;

  /**
   * Tells access keys the session epoch, some at a time: a request may call so many objects and no more. To be repeated
   * with `nextCursor` until it is null.
   *
   * @param cursor null: from the first key.
   */
  announceSessionEpoch(cursor: string | null): Promise<AnnouncedEpoch>;

  /**
   * Makes a webhook. A repeat of the same id changes nothing.
   *
   * @returns its secret, once: null where it had been made before; `full` where the project can have no more. Null:
   * never created.
   */
  createWebhook(
    webhook: NewWebhook,
    entry: AuditEntry,
  ): Promise<{ readonly view: WebhookView; readonly secret: string | null } | "full" | null>;

  /** In the order of their creation. Null: never created. */
  webhooks(page: PageRequest): Promise<Page<WebhookView> | null>;

  /** Null: no such webhook. */
  webhook(id: string): Promise<WebhookView | null>;

  /** Null: no such webhook. What waited while it was disabled is sent once it is enabled. */
  updateWebhook(id: string, patch: WebhookPatch, entry: AuditEntry): Promise<WebhookView | null>;

  /** The webhook as it was; null: no such webhook. */
  deleteWebhook(id: string, entry: AuditEntry): Promise<WebhookView | null>;

  /** The new secret; the one before signs beside it for a day. Null: no such webhook. */
  rotateWebhookSecret(id: string, entry: AuditEntry): Promise<string | null>;

  /** Newest first. Null: no such webhook. */
  deliveries(webhookId: string, page: PageRequest): Promise<Page<DeliveryView> | null>;

  /** Sends an event to a webhook again. Null: it has had no such event. */
  resendDelivery(webhookId: string, eventId: string, entry: AuditEntry): Promise<DeliveryView | null>;

  /** Takes in events that another object has raised. Those of a repeat change nothing. */
  takeEvents(input: HandOver): Promise<void>;

  /** Appends a row for a change that another object makes. */
  record(entry: AuditEntry): Promise<void>;

  /** Newest first. Null: never created. */
  audit(page: PageRequest): Promise<Page<AuditRow> | null>;
}
