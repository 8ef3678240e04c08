import type { AdmissionRequest } from "../access/record.ts";
import type { Outcome } from "../errors.ts";
import type { AptosExecuted, AptosExecuteInput } from "../fund/aptos/engine/execute.ts";
import type { AptosSponsorInput } from "../fund/aptos/engine/reserve.ts";
import type { AptosSponsored } from "../fund/aptos/engine/sponsor.ts";
import type { Executed, ExecuteInput } from "../fund/sui/engine/execution.ts";
import type { BoundedSponsorInput, Simulated, Sponsored } from "../fund/sui/engine/sponsor.ts";
import type { SponsorInput } from "../fund/sui/engine/sponsor-input.ts";
import type { SponsorshipStatus } from "../fund/sui/engine/status.ts";
import type { FundView } from "../fund/views.ts";

/** The access key of a call, with its policy, as admission knows them, and the id of the request. */
export type CallingKey = Pick<SponsorInput, "keyId" | "keyPolicy" | "requestId">;

/** A fund as one of its access keys sees it. */
export interface ViewOfKey extends FundView {
  /** True if the fund pays for the key's orderless transactions. Absent in the answer of an older build. */
  readonly orderless?: boolean;
}

type Unkeyed<Input extends CallingKey> = Omit<Input, keyof CallingKey>;

/**
 * The methods of a fund that the gas interfaces call, with what each gets beside the key. The names cross between
 * versions during a roll-out.
 */
export interface FundCalls {
  readonly sponsor: { readonly input: Unkeyed<SponsorInput>; readonly outcome: Outcome<Sponsored> };
  readonly prepare: { readonly input: Unkeyed<SponsorInput>; readonly outcome: Outcome<Simulated> };
  /** A fund of an earlier build does not have this method. */
  readonly prepareBounded: { readonly input: Unkeyed<BoundedSponsorInput>; readonly outcome: Outcome<Simulated> };
  readonly execute: { readonly input: Omit<ExecuteInput, keyof CallingKey>; readonly outcome: Outcome<Executed> };
  readonly status: {
    readonly input: { readonly digest: string; readonly leftMs: number };
    readonly outcome: Outcome<SponsorshipStatus>;
  };
  readonly view: { readonly input: null; readonly outcome: Outcome<ViewOfKey | null> };
  readonly aptosSponsor: { readonly input: Unkeyed<AptosSponsorInput>; readonly outcome: Outcome<AptosSponsored> };
  readonly aptosExecute: { readonly input: Unkeyed<AptosExecuteInput>; readonly outcome: Outcome<AptosExecuted> };
}

/** The name of a method that the gas interfaces call. */
export type FundMethod = keyof FundCalls;

/** One call of a fund. */
export interface FundCall<Method extends FundMethod = FundMethod> {
  readonly method: Method;
  readonly input: FundCalls[Method]["input"];
}

/** A request with one call, which the fund admits itself. */
export interface AdmitAndCall<Method extends FundMethod = FundMethod> {
  readonly keyId: string;
  readonly request: AdmissionRequest;
  /** The arrival of the request at the edge. */
  readonly arrivedAtMs: number;
  /** The `x-request-id` of the answer. Absent from an edge of an earlier build. */
  readonly requestId?: string;
  /** Null if the request only needs admission, because the edge already refuses its call. */
  readonly call: FundCall<Method> | null;
}

/** The answer to a request that the fund was to admit. */
export type AdmittedCall<Method extends FundMethod = FundMethod> =
  /** The access key has to admit the request, and nothing was done. Further requests go there for this time. */
  | { readonly admission: null; readonly retryAfterMs: number }
  /** The request is refused as a whole, or its call may run or not. The outcome is null if the call did not run. */
  | {
      readonly admission: Outcome<Outcome<null>>;
      readonly outcome: FundCalls[Method]["outcome"] | null;
    };
