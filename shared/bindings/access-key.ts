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

  admit(request: AdmissionRequest): Promise<Outcome<Admitted>>;

  /** Refuses sessions from before this epoch from the next call on. Epochs never go back. */
  acknowledgeSessionEpoch(sessionEpoch: number): Promise<void>;

  /** Returns null if the key was never created. */
  view(): Promise<AccessKeyView | null>;

  /** Returns null if the key was never created. */
  update(patch: AccessKeyPatch): Promise<Outcome<AccessKeyView> | null>;
}
