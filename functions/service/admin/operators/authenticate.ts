import type { MiddlewareHandler } from "hono";
import type { Deps } from "../../../../shared/bindings/deps.ts";
import type { AuditActor, Operator } from "../../../../shared/bindings/operator.ts";
import { isMissingMethod, ROLL_OUT_MS } from "../../../../shared/durable/missing-method.ts";
import type { AppEnv } from "../../../../shared/http/app.ts";
import { bearerOf } from "../../../../shared/http/bearer.ts";
import { callerAddress } from "../../../../shared/http/caller-address.ts";
import { problemResponse } from "../../../../shared/http/problem.ts";
import { retryAfterHeader } from "../../../../shared/http/retry-after.ts";
import { OperatorAdmission } from "./admission.ts";

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

/** Admits the holders of tokens, as `operator` of the request. Wrong tokens are slowed by source, the right ones never. */
export function authenticate(deps: Deps, admission = new OperatorAdmission(deps)): MiddlewareHandler<AdminEnv> {
  return async (c, next) => {
    const { headers } = c.req.raw;
    const token = bearerOf(headers);
    let operator: Operator | null;
    try {
      const credential = token === null ? null : admission.credentialOf(token);
      operator = credential && (await admission.holderOf(c.env, credential));
    } catch (error) {
      if (!isMissingMethod(error, "operatorOf")) throw error;
      const detail = "this service is being upgraded: only ADMIN_TOKEN opens it for some seconds";
      return problemResponse({ status: 503, detail }, retryAfterHeader(ROLL_OUT_MS));
    }
    if (operator !== null) {
      c.set("operator", operator);
      return next();
    }
    if (token !== null) {
      const retryAfterMs = await admission.countWrong(c.env, callerAddress(headers));
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
