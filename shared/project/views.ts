import type { StorageUse } from "../durable/storage-budget.ts";
import type { Chain, Network } from "../networks.ts";
import type { EventType } from "../observe/events.ts";
import type { DeliveryState } from "../webhooks/delivery.ts";

/** A wallet in the project's index. `name` is the name of its object. */
export interface WalletEntry {
  readonly name: string;
  readonly chain: Chain;
  readonly walletId: string;
}

/** A wallet of a project, as an operator sees it. */
export interface WalletRow extends WalletEntry {
  readonly address: string;
  readonly createdAtMs: number;
}

/** The terms on which a project admits a new wallet. */
export interface AdmissionTerms {
  /** Null if there is no limit. */
  readonly perMonth: number | null;
  /** Master key version of the record that is about to be sealed. */
  readonly masterKeyVersion: number;
  /** Scope of the call's Idempotency-Key. Null if it has none. */
  readonly scope: string | null;
  /** Address of the wallet. Null if it is unknown until its key is made. */
  readonly address: string | null;
}

/** The party that disabled a webhook: an operator, or its receiver with a 410. */
export type DisabledCause = "operator" | "gone";

/** The forms of a webhook's messages. `chat`: one sentence as `{"text"}`, for the incoming hook of a chat service. */
export const webhookFormats = ["standard", "chat"] as const;
/** One form of messages. */
export type WebhookFormat = (typeof webhookFormats)[number];

/** A webhook as an operator sees it. */
export interface WebhookView {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  /** Null if it is enabled. */
  readonly disabledCause: DisabledCause | null;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** Events that were lost because too many were pending. */
  readonly dropped: number;
  /** End of the previous secret, which signs until then. Null without one. */
  readonly previousSecretUntilMs: number | null;
  readonly createdAtMs: number;
  /** Absent only in the answer of an older build, which sends every webhook as `standard`. */
  readonly format?: WebhookFormat;
}

/** A webhook to create. */
export interface NewWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  /** If absent, `standard`. */
  readonly format?: WebhookFormat;
}

/** A change of a webhook. Absent fields stay. */
export interface WebhookPatch {
  readonly url?: string;
  readonly events?: readonly EventType[];
  readonly enabled?: boolean;
}

/** A delivery as an operator sees it. */
export interface DeliveryView {
  readonly eventId: string;
  readonly type: EventType;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAtMs: number;
  /** Time of the next attempt in ms. Null if the delivery has ended. */
  readonly nextAtMs: number | null;
  /** Time of the last attempt in ms. Null if there was none yet. */
  readonly lastAtMs: number | null;
  /** HTTP status of the last attempt. Null if it had no response. */
  readonly lastStatus: number | null;
  /** Reason why the last attempt had no response. Null if it had one. */
  readonly lastError: string | null;
}

/** An object that seals something under the master key. */
export interface SealedObject {
  readonly kind: "fund" | "wallet" | "webhook";
  /** Name of the object. For a webhook, whose secrets the project keeps, its id. */
  readonly name: string;
}

/** The counters of a project, read from its own rows. */
export interface ProjectMetrics {
  /** The networks that a fund or key of the project uses. */
  readonly networks: readonly Network[];
  readonly storage: StorageUse & { readonly isFull: boolean };
  /** Events that wait for a webhook's answer. */
  readonly deliveriesPending: number;
  /** Events that were never delivered, because too many waited or an object dropped them. */
  readonly deliveriesDropped: number;
  readonly webhooks: { readonly active: number; readonly disabled: number };
  /** The delay of the object's earliest due work, ms. 0 if nothing is late. */
  readonly lateMs: number;
}
