import type { AccessKeyPatch, AccessKeyRecord, AccessKeyView, AdmissionRequest, Admitted } from "../access/record.ts";
import type { Outcome } from "../errors.ts";

export type NewAccessKey = Omit<AccessKeyRecord, "status" | "createdAtMs" | "sessionEpoch">;

export interface CreatedAccessKey {
  readonly view: AccessKeyView;
  /** False where the key had been made before: the secret that this call brought opens nothing. */
  readonly secretIsRecorded: boolean;
}

/** The `AccessKey` object, as its callers see it. */
export interface AccessKeyObject {
  /** Creating the same key again answers the record as it is now. It keeps the secret that it was first made with. */
  create(key: NewAccessKey): Promise<CreatedAccessKey>;

  admit(request: AdmissionRequest): Promise<Outcome<Admitted>>;

  /** From the next call on, sessions from before this epoch are dead. Epochs never go back. */
  acknowledgeSessionEpoch(sessionEpoch: number): Promise<void>;

  /** Null: never created. */
  view(): Promise<AccessKeyView | null>;

  /** Null: never created. */
  update(patch: AccessKeyPatch): Promise<Outcome<AccessKeyView> | null>;
}
