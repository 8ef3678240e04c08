import type { JwtVerifier } from "../access/jwt.ts";
import type { FlowsConfig } from "../config/workflows.ts";
import { bearerOf, carriesBearer } from "../http/bearer.ts";
import type { PolicyUser } from "../policy/request.ts";
import { type WorkflowFailure, type WorkflowResult, workflowFailed } from "./errors.ts";
import { BACK_END_ISSUER } from "./wallet-clients.ts";

/** The form of a user's id that a back end names. */
export const USER_ID = /^[\x21-\x7e]{1,256}$/;

function unauthenticated(reason: string, message: string): WorkflowFailure {
  return workflowFailed(401, "unauthenticated", message, { reason });
}

function howToCall({ callerSecret, jwt }: FlowsConfig): string {
  const ways = [
    ...(jwt === null ? [] : ["the user's token from JWT_ISSUER"]),
    ...(callerSecret === null ? [] : ["<FLOWS_CALLER_SECRET> from your back end"]),
  ];
  return `send Authorization: Bearer with ${ways.join(", or ")}`;
}

function namedByBackEnd(headers: Headers): WorkflowResult<PolicyUser> {
  // A page that knows the secret could be every user.
  if (headers.has("origin"))
    return workflowFailed(
      403,
      "origin_refused",
      "FLOWS_CALLER_SECRET belongs in a back end, never in a page: send the user's token",
    );
  const subject = headers.get("x-user-id") ?? "";
  return USER_ID.test(subject)
    ? { ok: true, value: { issuer: BACK_END_ISSUER, subject, claims: {} } }
    : unauthenticated("no_user", "name the user in X-User-Id: 1 to 256 printable ASCII characters without spaces");
}

/**
 * Authenticates the caller. A user sends their own token. Otherwise the app's back end authenticates itself with the
 * shared secret, and names the user.
 */
export async function authenticate(
  headers: Headers,
  config: FlowsConfig,
  verifyJwt: JwtVerifier | null,
): Promise<WorkflowResult<PolicyUser>> {
  if (config.callerSecret !== null && carriesBearer(headers, config.callerSecret)) return namedByBackEnd(headers);
  const token = bearerOf(headers);
  if (token === null || verifyJwt === null || config.jwt === null)
    return unauthenticated(token === null ? "no_token" : "bad_token", howToCall(config));
  const verified = await verifyJwt(token);
  switch (verified.kind) {
    case "verified":
      return { ok: true, value: { issuer: config.jwt.issuer, subject: verified.subject, claims: verified.claims } };
    case "refused":
      return unauthenticated(verified.reason, verified.details);
    case "unavailable":
      return workflowFailed(503, "node_unavailable", verified.details, { retryable: true });
  }
}
