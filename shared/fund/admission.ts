import type { Recalled } from "../access/lease.ts";
import type { Env } from "../bindings/env.ts";
import type { AdmitAndCall, AdmittedCall, FundMethod } from "../bindings/fund-calls.ts";
import { done, refuse } from "../errors.ts";
import { refuseLate } from "../http/overload.ts";
import type { UpstreamTally } from "../observe/upstream-calls.ts";
import { type CalledFund, isFundMethod, runFundCall } from "./calls.ts";
import type { FundParts } from "./core.ts";
import type { EngineLoader } from "./engine-loader.ts";
import type { FundRefusals } from "./explain/fund-refusals.ts";
import { KeyLeases } from "./key-leases.ts";

type AdmissionParts = Pick<FundParts, "deps" | "state" | "transfer">;

/** The fund that admits. */
export interface AdmittingFund {
  readonly fund: CalledFund;
  readonly engine: EngineLoader;
  /** Keeps refusals, to explain them later. */
  readonly refusals: Pick<FundRefusals, "unadmitted">;
}

/** Admits requests at the fund that they call, by leased keys. */
export class FundAdmission {
  readonly #parts: AdmissionParts;
  readonly #fund: AdmittingFund;
  readonly #leases: KeyLeases;

  constructor(env: Pick<Env, "ACCESS_KEY">, parts: AdmissionParts, fund: AdmittingFund) {
    const { deps, state } = parts;
    this.#parts = parts;
    this.#fund = fund;
    this.#leases = new KeyLeases({
      now: () => ({ wallMs: deps.clock.nowMs(), monotonicMs: performance.now() }),
      random: () => (deps.randomBytes(1)[0] ?? 0) / 256,
      request: (keyId, request) => env.ACCESS_KEY.getByName(keyId).lease(request),
      afterAnswer: (work) => state.waitUntil(work),
      logFailure: (keyId, error) => deps.log("fund.lease_failed", { keyId, error: String(error) }),
    });
  }

  /**
   * Admits a request and runs its call. Refuses in the same order as the edge with an access key.
   *
   * @param tally of the call's requests of nodes. Absent if nobody counts them.
   */
  async run<Method extends FundMethod>(
    input: AdmitAndCall<Method>,
    tally?: UpstreamTally,
  ): Promise<AdmittedCall<Method>> {
    const { keyId, request, arrivedAtMs, requestId, call } = input;
    const { fund, engine, refusals } = this.#fund;
    const { deps, transfer } = this.#parts;
    const fundId = transfer.isOpen ? engine.load()?.core.record.fundId : undefined;
    if (fundId === undefined || (call !== null && !isFundMethod(call.method)))
      return { admission: null, retryAfterMs: 0 };
    const decided = await this.#leases.admit(keyId, fundId, request);
    if ("retryAfterMs" in decided) return { admission: null, ...decided };
    const admitted = decided.ok ? (refuseLate(arrivedAtMs, deps.clock.nowMs()) ?? decided) : decided;
    if (!admitted.ok) {
      refusals.unadmitted(input, admitted.error);
      return { admission: admitted, outcome: null };
    }
    const { caller, calls } = admitted.value;
    const verdict =
      calls[0] ?? refuse("internal", "admission gave no verdict on this call: search the log for the request id");
    if (!verdict.ok) refusals.unadmitted(input, verdict.error);
    if (!verdict.ok || call === null) return { admission: done(verdict), outcome: null };
    const key = { keyId: caller.keyId, keyPolicy: caller.policy, ...(requestId !== undefined && { requestId }) };
    return { admission: done(verdict), outcome: await runFundCall(fund, key, call, tally) };
  }

  /** Ends the lease of a key. */
  recall(keyId: string): Recalled {
    return this.#leases.recall(keyId);
  }
}
