import type { LeaseAnswer, LeaseRequest } from "../access/lease.ts";
import type { AccessKeyPatch, AccessKeyRecord, AccessKeyView, AdmissionRequest, Admitted } from "../access/record.ts";
import type { Outcome } from "../errors.ts";
import type { MovingObject } from "./transfer.ts";

/** An access key to create. The object adds its status and its times. */
export type NewAccessKey = Omit<AccessKeyRecord, "status" | "createdAtMs" | "sessionEpoch">;

/** The result of a creation. */
export interface CreatedAccessKey {
  readonly view: AccessKeyView;
  /** False if the key was made before. The secret of this call then opens nothing. */
  readonly secretIsRecorded: boolean;
}

/** The `AccessKey` object, as its callers see it. */
export interface AccessKeyObject extends MovingObject {
  /** Creates the key. A repeat returns the record as it is now, and keeps the first secret. */
  create(key: NewAccessKey): Promise<CreatedAccessKey>;

  /**
   * Decides a request, and takes its tokens. It takes back a lease of the fund before, or names the fund if the caller
   * says `fundMayAdmit`.
   */
  admit(request: AdmissionRequest): Promise<Outcome<Admitted>>;

  /** Leases the key to its fund, or renews the lease. Refuses any other fund, and a key that its fund cannot use. */
  lease(request: LeaseRequest): Promise<LeaseAnswer>;

  /** Refuses sessions from before this epoch from the next call on. Epochs never go back. */
  acknowledgeSessionEpoch(sessionEpoch: number): Promise<void>;

  /** Returns null if the key was never created. */
  view(): Promise<AccessKeyView | null>;

  /**
   * Changes the key. Answers once no fund decides by the record from before: at once, or after the life of a lease if
   * the fund cannot be reached. Returns null if the key was never created.
   */
  update(patch: AccessKeyPatch): Promise<Outcome<AccessKeyView> | null>;
}
