import type { FundObject } from "../bindings/fund.ts";
import type { AdmitAndCall, AdmittedCall, FundCalls, FundMethod } from "../bindings/fund-calls.ts";
import { isMissingMethod } from "../durable/missing-method.ts";
import { type Outcome, type Refusal, refuse } from "../errors.ts";
import type { Failure } from "../result.ts";

/** The pause after a fund of an earlier build, which cannot admit. */
const OLD_BUILD_MS = 10_000;

/**
 * Returns whether an admission forbids its key the call, and replaces the outcome of a call that threw. A refusal for a
 * rate or for load replaces none: it would hide that the call may have run. No refusal replaces `outcome_unknown`: the
 * fund may have admitted the call, and submitted, before its key changed.
 */
export function forbidsCall(admission: Outcome<unknown>, outcome: Outcome<unknown>): boolean {
  if (admission.ok || (!outcome.ok && outcome.error.reason === "outcome_unknown")) return false;
  return ["bad_key", "wrong_network", "missing_right"].includes(admission.error.reason);
}

/** The request that a fund is to admit. */
export interface RequestAtFund extends Omit<AdmitAndCall, "call"> {
  readonly fundId: string;
}

/** One request on its way to the fund that admits it. It makes one call, or none. */
export class AdmissionAtFund {
  readonly keyId: string;
  readonly fundId: string;
  readonly #request: Omit<AdmitAndCall, "call">;
  readonly #fund: () => Pick<FundObject, "admitAndCall">;
  /** Sends the key's requests to the key for this time. */
  readonly #pause: (ms: number) => void;
  /** Undefined as long as the fund was not called. `failed`: the call threw, and its caller has the error. */
  #answer: AdmittedCall["admission"] | "failed" | undefined;

  constructor(
    { fundId, ...request }: RequestAtFund,
    fund: () => Pick<FundObject, "admitAndCall">,
    pause: (ms: number) => void,
  ) {
    this.keyId = request.keyId;
    this.fundId = fundId;
    this.#request = request;
    this.#fund = fund;
    this.#pause = pause;
  }

  /**
   * Has the fund admit the request and run the call.
   *
   * @returns the refusal, if the request is not admitted. `verdict` returns it, too. Throws if the fund throws.
   */
  async call<Method extends FundMethod>(
    method: Method,
    input: FundCalls[Method]["input"],
  ): Promise<FundCalls[Method]["outcome"] | Failure<Refusal>> {
    if (this.#answer !== undefined) throw new Error("a request that the fund admits makes one call");
    this.#answer = "failed";
    const answer = await this.#send({ ...this.#request, call: { method, input } });
    this.#answer = answer.admission;
    if (answer.admission === null) return refuse("internal", "the access key admits this request");
    if (!answer.admission.ok) return answer.admission;
    if (!answer.admission.value.ok) return answer.admission.value;
    return answer.outcome ?? refuse("internal", "the fund admitted the call and did not run it");
  }

  /**
   * Returns whether the request and its call were admitted. Asks the fund, if no call has.
   *
   * @returns null if the access key has to admit the request, and nothing was done. `failed` if the call threw. The
   *   access key then has to admit the request, and the call must not be sent again.
   */
  async verdict(): Promise<Outcome<Outcome<null>> | "failed" | null> {
    if (this.#answer !== undefined) return this.#answer;
    try {
      return (await this.#send({ ...this.#request, call: null })).admission;
    } catch {
      // No call was made, and the access key needs no fund to refuse it.
      return null;
    }
  }

  async #send<Method extends FundMethod>(input: AdmitAndCall<Method>): Promise<AdmittedCall<Method>> {
    try {
      const answer = await this.#fund().admitAndCall(input);
      if (answer.admission === null) this.#pause(answer.retryAfterMs);
      return answer;
    } catch (error) {
      if (!isMissingMethod(error, "admitAndCall")) throw error;
      this.#pause(OLD_BUILD_MS);
      return { admission: null, retryAfterMs: OLD_BUILD_MS };
    }
  }
}
