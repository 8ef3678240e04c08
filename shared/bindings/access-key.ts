import type { LeaseAnswer, LeaseRequest } from "../access/lease.ts";
import type { AccessKeyPatch, AccessKeyRecord, AccessKeyView, AdmissionRequest, Admitted } from "../access/record.ts";
import type { KeyRefusalCount, KeyRefusalQuery, RefusalSummary } from "../access/refusal-counts.ts";
import type { Outcome } from "../errors.ts";
import type { Page } from "../paging.ts";
import type { MovingObject } from "./transfer.ts";

/** An access key to create. The object adds its status and its times. */
export type NewAccessKey = Omit<AccessKeyRecord, "status" | "createdAtMs" | "sessionEpoch">;

/** An access key as its object shows it. */
export interface ShownAccessKey extends AccessKeyView {
  /** The calls that the object has refused. Absent only in the answer of an older build. */
  readonly refusals?: RefusalSummary;
}

/** The counters of an access key. They continue after a restart. */
export interface AccessKeyMetrics {
  /** The calls that the object has refused, by reason. */
  readonly refusals: Readonly<Record<string, number>>;
}

/** The result of a creation. */
export interface CreatedAccessKey {
  readonly view: ShownAccessKey;
  /** False if the key was made before. The secret of this call then opens nothing. */
  readonly secretIsRecorded: boolean;
}

/** The `AccessKey` object, as its callers see it. */
export interface AccessKeyObject extends MovingObject {
  /** Creates the key. A repeat returns the record as it is now, and keeps the first secret. */
  create(key: NewAccessKey): Promise<CreatedAccessKey>;

  /**
   * Decides a request, and takes its tokens. Takes back a lease of the fund first, or names the fund if the caller
   * sends `fundMayAdmit`.
   */
  admit(request: AdmissionRequest): Promise<Outcome<Admitted>>;

  /** Leases the key to its fund, or renews the lease. Refuses any other fund, and a key that its fund cannot use. */
  lease(request: LeaseRequest): Promise<LeaseAnswer>;

  /** Refuses sessions from before this epoch from the next call on. Epochs never go back. */
  acknowledgeSessionEpoch(sessionEpoch: number): Promise<void>;

  /** Returns null if the key was never created. */
  view(): Promise<ShownAccessKey | null>;

  /**
   * Lists the daily counters of the calls that the object has refused, the newest day first. Null if the key was never
   * created. An earlier build does not have this method, nor the next one.
   */
  refusalCounts(query: KeyRefusalQuery): Promise<Page<KeyRefusalCount> | null>;

  /** Reads the counters of the key. Null if it was never created. */
  metrics(): Promise<AccessKeyMetrics | null>;

  /**
   * Changes the key. Answers after no fund uses the old record: immediately, or after a lease's life if the fund cannot
   * be reached. Returns null if the key was never created.
   */
  update(patch: AccessKeyPatch): Promise<Outcome<ShownAccessKey> | null>;
}
