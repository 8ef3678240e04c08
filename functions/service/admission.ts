import type { Context } from "hono";
import { admit, verifyKey } from "../../shared/access/admission.ts";
import { AdmissionAtFund } from "../../shared/access/admission-at-fund.ts";
import { hashKeySecret } from "../../shared/access/key-format.ts";
import { KnownFunds } from "../../shared/access/known-funds.ts";
import type { AdmissionRequest } from "../../shared/access/record.ts";
import type { Deps } from "../../shared/bindings/deps.ts";
import { areKnownToBeRight, withRightKeys } from "../../shared/directory/right-secrets.ts";
import { done, type Outcome } from "../../shared/errors.ts";
import { countedFund } from "../../shared/fund/calls.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { refuseLate } from "../../shared/http/overload.ts";
import type { Admission } from "../../shared/rpc/answer-calls.ts";

/** A request to admit, without its key. */
type Wanted = Omit<AdmissionRequest, "secretHash">;

/**
 * Admits the requests of the service's interfaces: at the object of their access key, or at the fund that they call. An
 * isolate remembers the funds of its keys, and nothing else.
 */
export class RequestAdmission {
  readonly #deps: Deps;
  readonly #known = new KnownFunds();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Admits a request at its access key. @returns a value of null if the key's fund has to admit it. */
  async atKey(c: Context<AppEnv>, keys: readonly string[], wanted: Wanted): Promise<Outcome<Admission | null>> {
    const admitted = await admit(c.env, this.#deps, { keys, ...wanted });
    if (!admitted.ok) return admitted;
    const { caller, isLeased } = admitted.value;
    if (caller.fundId !== null) c.set("fundId", caller.fundId);
    if (caller.fundId !== null) this.#known.remember(caller.keyId, caller.fundId, isLeased);
    if (isLeased) return done(null);
    const late = refuseLate(c.get("arrivedAtMs"), this.#deps.clock.nowMs());
    if (late !== null) return late;
    const right = await withRightKeys(c.env, this.#deps);
    return right.ok ? admitted : right;
  }

  /** Begins the admission of a request at its fund. Null if the access key has to admit it. */
  atFund(c: Context<AppEnv>, keys: readonly string[], wanted: Wanted): AdmissionAtFund | null {
    const key = verifyKey(this.#deps, keys);
    if (!key.ok || !areKnownToBeRight(this.#deps)) return null;
    const { keyId, secret } = key.value;
    const nowMs = this.#deps.clock.nowMs();
    const fundId = this.#known.fundOf(keyId, nowMs);
    if (fundId === null) return null;
    c.set("fundId", fundId);
    const request = { ...wanted, secretHash: hashKeySecret(secret) };
    return new AdmissionAtFund(
      { keyId, fundId, request, arrivedAtMs: c.get("arrivedAtMs"), requestId: c.get("requestId") },
      () => countedFund(c.env.FUND.getByName(fundId), c.get("upstream")),
      (ms) => this.#known.pause(keyId, nowMs + ms),
    );
  }
}
