import type { MiddlewareHandler } from "hono";
import { hashKeySecret } from "../../../../shared/access/key-format.ts";
import { RefusedTokens } from "../../../../shared/access/refused-tokens.ts";
import { WrongTokens } from "../../../../shared/access/wrong-tokens.ts";
import { type Deps, serviceSecrets } from "../../../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../../../shared/bindings/directory.ts";
import type { Env } from "../../../../shared/bindings/env.ts";
import { type AuditActor, type Operator, OWNER } from "../../../../shared/bindings/operator.ts";
import { parseOperatorToken } from "../../../../shared/directory/token-format.ts";
import { isMissingMethod, ROLL_OUT_MS } from "../../../../shared/durable/missing-method.ts";
import type { AppEnv } from "../../../../shared/http/app.ts";
import { bearerOf, carriesBearer } from "../../../../shared/http/bearer.ts";
import { callerAddress } from "../../../../shared/http/caller-address.ts";
import { problemResponse } from "../../../../shared/http/problem.ts";
import { retryAfterHeader } from "../../../../shared/http/retry-after.ts";

/** The bindings and variables of a request to the admin API. */
export interface AdminEnv extends AppEnv {
  Variables: AppEnv["Variables"] & { operator: Operator };
}

const MAX_USER_AGENT_CHARACTERS = 200;

/** Returns the holder of a token and the place of the call, each bounded, for the audit log. */
export function actorOf({ tokenId, name }: Operator, headers: Headers): AuditActor {
  const ip = callerAddress(headers);
  const userAgent = headers.get("user-agent")?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null;
  return { tokenId, name, ip: ip === "" ? null : ip, userAgent };
}

/** Reports a wrong token. The caller is refused even if the report fails. */
async function tellWrongTokens(env: Env, deps: Deps, source: string): Promise<void> {
  deps.log("security.admin_token_refused", { source });
  try {
    await env.DIRECTORY.getByName(DIRECTORY_NAME).raiseForEveryProject({
      type: "security.admin_token_refused",
      data: { source },
    });
  } catch (error) {
    deps.log("security.admin_token_untold", { error: String(error) });
  }
}

/**
 * Returns who carries this token. Only a token with a valid check costs a call. No admission is remembered, so a deleted
 * token opens nothing from the next call on. A refusal is, so that a former operator costs no call for each try.
 *
 * @returns null if nobody does. @throws if the directory does not answer.
 */
async function holderOf(env: Env, deps: Deps, refused: RefusedTokens, headers: Headers): Promise<Operator | null> {
  const { adminToken, keyPeppers } = serviceSecrets(deps);
  if (carriesBearer(headers, adminToken)) return OWNER;
  const token = parseOperatorToken(bearerOf(headers) ?? "", keyPeppers);
  if (token === null) return null;
  const { tokenId } = token;
  const secretHash = hashKeySecret(token.secret);
  if (refused.has({ tokenId, secretHash }, deps.clock.nowMs())) return null;
  const operator = await env.DIRECTORY.getByName(DIRECTORY_NAME).operatorOf(tokenId, secretHash);
  if (operator === null) refused.add({ tokenId, secretHash }, deps.clock.nowMs());
  return operator;
}

/** Admits the holders of tokens, as `operator` of the request. Wrong tokens are slowed by source, the right ones never. */
export function authenticate(deps: Deps): MiddlewareHandler<AdminEnv> {
  const wrongTokens = new WrongTokens();
  const refused = new RefusedTokens();
  return async (c, next) => {
    const { headers } = c.req.raw;
    let operator: Operator | null;
    try {
      operator = await holderOf(c.env, deps, refused, headers);
    } catch (error) {
      if (!isMissingMethod(error, "operatorOf")) throw error;
      const detail = "this service is being upgraded: only ADMIN_TOKEN opens it for some seconds";
      return problemResponse({ status: 503, detail }, retryAfterHeader(ROLL_OUT_MS));
    }
    if (operator !== null) {
      c.set("operator", operator);
      return next();
    }
    if (bearerOf(headers) !== null) {
      const source = callerAddress(headers);
      const { retryAfterMs, isNews } = wrongTokens.count(source, deps.clock.nowMs());
      if (isNews) await tellWrongTokens(c.env, deps, source);
      if (retryAfterMs > 0)
        return problemResponse(
          {
            status: 429,
            detail: "too many wrong tokens from this source: wait for Retry-After, then send the right one",
          },
          retryAfterHeader(retryAfterMs),
        );
    }
    return problemResponse(
      { status: 401, detail: "send Authorization: Bearer <ADMIN_TOKEN>, or an operator's token that has not ended" },
      { "www-authenticate": 'Bearer realm="admin"' },
    );
  };
}
