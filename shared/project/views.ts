import type { Chain } from "../networks.ts";
import type { EventType } from "../observe/events.ts";
import type { DeliveryState } from "../webhooks/delivery.ts";

/** A wallet of the project's index, by the name of its object. */
export interface WalletEntry {
  readonly name: string;
  readonly chain: Chain;
  readonly walletId: string;
}

export interface WalletRow extends WalletEntry {
  readonly address: string;
  readonly createdAtMs: number;
}

export interface AdmissionTerms {
  /** Null: no limit. */
  readonly perMonth: number | null;
  /** That the wallet's record is about to be sealed under. */
  readonly masterKeyVersion: number;
  /** Of the call's Idempotency-Key; null: it brought none. */
  readonly scope: string | null;
  /** That the wallet will have; null: nobody knows before its key is made. */
  readonly address: string | null;
}

/** By whom an endpoint was disabled: an operator, or its receiver, with a 410. */
export type DisabledCause = "operator" | "gone";

export interface WebhookView {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  /** Null: it is enabled. */
  readonly disabledCause: DisabledCause | null;
  /** Attempts in a row that have failed. */
  readonly failures: number;
  /** Events that were lost because too many others waited. */
  readonly dropped: number;
  /** Until when the secret before this one signs, too; null: there is none. */
  readonly previousSecretUntilMs: number | null;
  readonly createdAtMs: number;
}

export interface NewWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
}

export interface WebhookPatch {
  readonly url?: string;
  readonly events?: readonly EventType[];
  readonly enabled?: boolean;
}

export interface DeliveryView {
  readonly eventId: string;
  readonly type: EventType;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAtMs: number;
  /** Null: it is over. */
  readonly nextAtMs: number | null;
  /** Null: not tried yet. */
  readonly lastAtMs: number | null;
  /** HTTP status of the last attempt; null: none was answered. */
  readonly lastStatus: number | null;
  /** Why there was no answer; null: there was one. */
  readonly lastError: string | null;
}

/** An object that keeps something under the master key. */
export interface SealedObject {
  readonly kind: "fund" | "wallet" | "webhook";
  /** Of the object; of a webhook, whose secret is the project's own to keep, its id. */
  readonly name: string;
}
