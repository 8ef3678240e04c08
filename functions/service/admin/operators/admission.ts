import { createHash, timingSafeEqual } from "node:crypto";
import { hashKeySecret } from "../../../../shared/access/key-format.ts";
import { RefusedTokens } from "../../../../shared/access/refused-tokens.ts";
import { WrongTokens } from "../../../../shared/access/wrong-tokens.ts";
import { type Deps, serviceSecrets } from "../../../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../../../shared/bindings/directory.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import { type Operator, type OperatorCredential, OWNER } from "../../../../shared/bindings/operator.ts";
import { parseOperatorToken } from "../../../../shared/directory/token-format.ts";
import { equalTexts } from "../../../../shared/http/bearer.ts";

function hashAdminToken(token: string): Uint8Array {
  return new Uint8Array(createHash("sha256").update(token, "utf8").digest());
}

/** Recognises the holders of operators' tokens, and counts wrong tokens by their source. */
export class OperatorAdmission {
  readonly #deps: Deps;
  readonly #wrongTokens = new WrongTokens();
  readonly #refused = new RefusedTokens();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Returns the credential of a token. Null if this service has not issued a token of this form. */
  credentialOf(token: string): OperatorCredential | null {
    const { adminToken, keyPeppers } = serviceSecrets(this.#deps);
    if (equalTexts(token, adminToken)) return { tokenId: null, secretHash: hashAdminToken(adminToken) };
    const parsed = parseOperatorToken(token, keyPeppers);
    return parsed && { tokenId: parsed.tokenId, secretHash: hashKeySecret(parsed.secret) };
  }

  /**
   * Returns the present holder of a credential. Only an operator's token costs a call. An admission is never
   * remembered, so a deleted token is refused from the next call on. A refusal is remembered, so that a former operator
   * costs no call for each try.
   *
   * @returns null if it has no holder. @throws if the directory does not answer.
   */
  async holderOf(env: Env, { tokenId, secretHash }: OperatorCredential): Promise<Operator | null> {
    const { clock } = this.#deps;
    if (tokenId === null) {
      const right = hashAdminToken(serviceSecrets(this.#deps).adminToken);
      return secretHash.length === right.length && timingSafeEqual(secretHash, right) ? OWNER : null;
    }
    if (this.#refused.has({ tokenId, secretHash }, clock.nowMs())) return null;
    const operator = await env.DIRECTORY.getByName(DIRECTORY_NAME).operatorOf(tokenId, secretHash);
    if (operator === null) this.#refused.add({ tokenId, secretHash }, clock.nowMs());
    return operator;
  }

  /** Counts a wrong token. @returns the milliseconds that its source must wait. 0 if it need not wait. */
  async countWrong(env: Env, source: string): Promise<number> {
    const { retryAfterMs, isNews } = this.#wrongTokens.count(source, this.#deps.clock.nowMs());
    if (isNews) await this.#report(env, source);
    return retryAfterMs;
  }

  /** Reports wrong tokens. The caller is refused even if the report fails. */
  async #report(env: Env, source: string): Promise<void> {
    const { log } = this.#deps;
    log("security.admin_token_refused", { source });
    try {
      await env.DIRECTORY.getByName(DIRECTORY_NAME).raiseForEveryProject({
        type: "security.admin_token_refused",
        data: { source },
      });
    } catch (error) {
      log("security.admin_token_untold", { error: String(error) });
    }
  }
}
