import { createHash } from "node:crypto";
import type { Context } from "hono";
import * as z from "zod";
import { carriesBearer } from "../shared/access/bearer.ts";
import { concatBytes, lengthPrefixed } from "../shared/bytes.ts";
import type { FlowsConfig } from "../shared/config.ts";
import type { Deps } from "../shared/deps.ts";
import { BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY } from "../shared/idempotency.ts";
import type { Fetch } from "../shared/ports.ts";
import { readBoundedText } from "../shared/rpc/json.ts";
import { type FlowFailure, flowFailed } from "./flow-failure.ts";
import { type FlowService, flowService } from "./flow-service.ts";
import type { HttpEnv } from "./http.ts";
import { type UserWallets, userWallets } from "./user-wallets.ts";

/** A transaction of 128 KiB in Base64, and room for the rest. */
const MAX_BODY_BYTES = 262_144;
/** Who vouches for the users that the app's own back end names. Part of their wallets' ids, so it never changes. */
export const CALLER_ISSUER = "gasworks:flows:caller-secret";
export const USER_ID = /^[\x21-\x7e]{1,256}$/;

export type FlowOutcome = { readonly ok: true; readonly body: object } | FlowFailure;

/** What a workflow is given: who asks, and the service as the app's access keys reach it. */
export interface FlowCall<Body> {
  readonly body: Body;
  readonly user: string;
  readonly service: FlowService;
  readonly wallets: UserWallets;
  /** For the one call that has the workflow's effect. Null: the caller sent none. */
  readonly idempotencyKey: string | null;
}

/** One of the app's workflows: a body that it accepts, and what it does. */
export interface Flow<Schema extends z.ZodType = z.ZodType> {
  /** Last segment of its path. */
  readonly name: string;
  readonly bodySchema: Schema;
  /** An execution must not be repeated by accident, so its callers name each attempt. */
  readonly needsIdempotencyKey: boolean;
  readonly run: (call: FlowCall<z.output<Schema>>) => Promise<FlowOutcome>;
}

/**
 * The caller's key as the service gets it. The service knows the app, not its users: bound like this, equal keys of two
 * users, or of two workflows, never meet.
 */
function boundKey(user: string, flow: string, idempotencyKey: string): string {
  const named = concatBytes(...[user, flow, idempotencyKey].map(lengthPrefixed));
  return createHash("sha256").update(named).digest("base64url");
}

function respond(outcome: FlowOutcome): Response {
  if (outcome.ok) return Response.json(outcome.body);
  const { status, ...error } = outcome.error;
  return Response.json({ error }, { status });
}

async function readBody(request: Request): Promise<unknown> {
  try {
    const text = await readBoundedText(request.body, MAX_BODY_BYTES);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The route of a workflow: who may call it, what its body must be, and how it answers. The caller is the app's own
 * back end, which holds the shared secret and names its user.
 *
 * @param inProcess calls the service of this deployment; used where no FLOWS_BASE_URL is set.
 */
export function flowRoute<Schema extends z.ZodType>(
  flow: Flow<Schema>,
  config: FlowsConfig,
  deps: Deps,
  inProcess: (c: Context<HttpEnv>) => Fetch,
): (c: Context<HttpEnv>) => Promise<Response> {
  return async (c) => {
    const { headers } = c.req.raw;
    if (headers.has("origin"))
      return respond(flowFailed(403, "origin_refused", "call the workflows from your own back end"));
    if (!carriesBearer(headers, config.callerSecret))
      return respond(flowFailed(401, "unauthenticated", "send Authorization: Bearer <FLOWS_CALLER_SECRET>"));
    const user = headers.get("x-user-id") ?? "";
    if (!USER_ID.test(user))
      return respond(flowFailed(401, "unauthenticated", "name the user in X-User-Id: 1 to 256 printable characters"));
    const sentKey = headers.get(IDEMPOTENCY_HEADER);
    if (sentKey === null ? flow.needsIdempotencyKey : !IDEMPOTENCY_KEY.test(sentKey))
      return respond(flowFailed(400, "bad_request", BAD_IDEMPOTENCY_KEY));
    const body = flow.bodySchema.safeParse(await readBody(c.req.raw));
    if (!body.success) return respond(flowFailed(400, "bad_request", z.prettifyError(body.error)));
    const service = flowService(config, deps, inProcess(c));
    const wallets = userWallets({ issuer: CALLER_ISSUER, subject: user }, config, deps, c.env.KV);
    const idempotencyKey = sentKey === null ? null : boundKey(user, flow.name, sentKey);
    return respond(await flow.run({ body: body.data, user, service, wallets, idempotencyKey }));
  };
}
