import type { Deps } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import type { SealedProof } from "../crypto/key-check.ts";
import { keyServiceRefusal } from "../crypto/key-service.ts";

/** Failed openings after which a proof stops. */
const MAX_FAILURES = 20;
/** A doubtful proof is kept for this time, so that not each call repeats it. */
const DOUBT_KEPT_MS = 10_000;

/** Proves master keys by opening what the projects have sealed under them. One proof of a version at a time. */
export class MasterKeyProofs {
  readonly #env: Pick<Env, "PROJECT">;
  readonly #deps: Deps;
  readonly #everyProject: () => AsyncIterable<string>;
  /** Proofs by master key version, in progress or kept until `untilMs`. */
  readonly #proofs = new Map<number, { readonly proof: Promise<SealedProof>; untilMs: number }>();

  constructor(env: Pick<Env, "PROJECT">, deps: Deps, everyProject: () => AsyncIterable<string>) {
    this.#env = env;
    this.#deps = deps;
    this.#everyProject = everyProject;
  }

  async prove(masterKeyVersion: number): Promise<SealedProof> {
    const known = this.#proofs.get(masterKeyVersion);
    if (known !== undefined && this.#deps.clock.nowMs() < known.untilMs) return known.proof;
    const begun = { proof: this.#openSamples(masterKeyVersion), untilMs: Number.POSITIVE_INFINITY };
    this.#proofs.set(masterKeyVersion, begun);
    let inDoubt = false;
    try {
      const proof = await begun.proof;
      inDoubt = !proof.opened && proof.failed > 0;
      return proof;
    } finally {
      begun.untilMs = inDoubt ? this.#deps.clock.nowMs() + DOUBT_KEPT_MS : 0;
    }
  }

  async #openSamples(masterKeyVersion: number): Promise<SealedProof> {
    let failed = 0;
    let unanswered = 0;
    for await (const projectId of this.#everyProject()) {
      try {
        const proof = await this.#env.PROJECT.getByName(projectId).proveMasterKey(masterKeyVersion);
        failed += proof.failed;
        unanswered += proof.unanswered;
        if (proof.opened) return { opened: true, failed, unanswered };
      } catch (error) {
        if (keyServiceRefusal(error) !== null) throw error;
        this.#deps.log("directory.prove_failed", { project: projectId, masterKeyVersion, error: String(error) });
        unanswered += 1;
      }
      if (failed >= MAX_FAILURES) break;
    }
    return { opened: false, failed, unanswered };
  }
}
