import { createHash } from "node:crypto";
import type { Context } from "hono";
import * as z from "zod";
import type { JwtVerifier } from "../access/jwt.ts";
import type { Deps } from "../bindings/deps.ts";
import type { Fetch } from "../bindings/ports.ts";
import { concatBytes, lengthPrefixed } from "../bytes.ts";
import type { FlowsConfig } from "../config/config.ts";
import { secretsVerdict } from "../directory/right-secrets.ts";
import type { HttpEnv } from "../http/app.ts";
import { BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY } from "../idempotency.ts";
import type { Chain } from "../networks.ts";
import type { PolicyUser } from "../policy/request.ts";
import type { Rule } from "../policy/rules.ts";
import { readBoundedText } from "../rpc/json.ts";
import { type ExecuteOnce, executeOnce } from "./attempt.ts";
import { authenticate } from "./caller.ts";
import { type FlowFailure, type FlowOutcome, flowFailed } from "./errors.ts";
import { type HoldGas, holdGasFor } from "./limits.ts";
import { type FlowService, flowService } from "./service.ts";
import { userWalletId } from "./wallet-clients.ts";
import { type UserWallets, userWallets } from "./wallets.ts";

/** A transaction of 128 KiB in Base64, and room for the rest. */
const MAX_BODY_BYTES = 262_144;
const NO_IDEMPOTENCY_KEY =
  "send an Idempotency-Key, one for each thing that the user wants done: a repeat with the same one has no second effect";

/** What a workflow is given: who asks, and the service as the app's access keys reach it. */
export interface FlowCall<Input> {
  readonly input: Input;
  /** As the policy sees them. */
  readonly user: PolicyUser;
  /** Of the user's wallet, whether it exists or not: one name for one user, whoever vouches for them. */
  readonly walletId: string;
  readonly deps: Deps;
  /** FLOWS_SECRET. */
  readonly appSecret: Uint8Array | null;
  readonly service: FlowService;
  readonly policy: readonly Rule[];
  readonly wallets: UserWallets;
  readonly holdGas: HoldGas;
  /** What the user's attempts on a chain have executed since a time, or may have: each in its workflow's own format. */
  readonly executedSince: (chain: Chain, sinceMs: number) => Promise<readonly string[]>;
  /** For the one call that has the workflow's effect. Null: the caller sent none. */
  readonly idempotencyKey: string | null;
}

interface FlowOf<Schema extends z.ZodType> {
  /** Last segment of its path. */
  readonly name: string;
  readonly inputSchema: Schema;
}

interface RepeatableFlow<Schema extends z.ZodType> extends FlowOf<Schema> {
  /** `read`: GET, with its input in the query. `ask`: POST. */
  readonly kind: "read" | "ask";
  readonly run: (call: FlowCall<z.output<Schema>>) => Promise<FlowOutcome>;
}

/** POST. An execution must not be repeated by accident, so its callers name each attempt. */
interface ExecutingFlow<Schema extends z.ZodType> extends FlowOf<Schema> {
  readonly kind: "execute";
  readonly run: (
    call: FlowCall<z.output<Schema>> & { readonly idempotencyKey: string },
    once: ExecuteOnce,
  ) => Promise<FlowOutcome>;
}

/** One of the app's workflows: what it takes, and what it does. */
export type Flow<Schema extends z.ZodType = z.ZodType> = RepeatableFlow<Schema> | ExecutingFlow<Schema>;

/**
 * The caller's key as the service gets it. The service knows the app, not its users: bound like this, equal keys of two
 * users, or of two workflows, never meet.
 */
function boundKey(walletId: string, flow: string, idempotencyKey: string): string {
  const named = concatBytes(...[walletId, flow, idempotencyKey].map(lengthPrefixed));
  return createHash("sha256").update(named).digest("base64url");
}

const MS_PER_SECOND = 1_000;

function respond(outcome: FlowOutcome): Response {
  if (outcome.ok) return Response.json(outcome.body);
  const { status, retryAfterMs, ...error } = outcome.error;
  const headers: HeadersInit =
    retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / MS_PER_SECOND)) };
  return Response.json({ error }, { status, headers });
}

function badRequest(message: string): FlowFailure {
  return flowFailed(400, "bad_request", message);
}

async function readInput(request: Request): Promise<{ readonly ok: true; readonly value: unknown } | FlowFailure> {
  if (request.method === "GET") return { ok: true, value: Object.fromEntries(new URL(request.url).searchParams) };
  const text = await readBoundedText(request.body, MAX_BODY_BYTES).catch(() => undefined);
  if (text === undefined) return badRequest("the body is not UTF-8");
  if (text === null) return badRequest(`the body is longer than ${MAX_BODY_BYTES} bytes`);
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return badRequest("the body is not JSON");
  }
}

/** What `functions/policy.ts` says. */
export interface FlowTerms {
  readonly policy: readonly Rule[];
  readonly callsPerSecondPerUser: number;
}

export interface FlowSetting extends FlowTerms {
  readonly config: FlowsConfig;
  readonly deps: Deps;
  readonly verifyJwt: JwtVerifier | null;
  /** Calls the service of this deployment; used where no FLOWS_BASE_URL is set. */
  readonly inProcess: (c: Context<HttpEnv>) => Fetch;
}

/** Runs a workflow for a user who may, whoever starts it. @param started.sentKey names the attempt; an execution has one. */
export async function runFlow<Schema extends z.ZodType>(
  flow: Flow<Schema>,
  started: { readonly user: PolicyUser; readonly input: z.output<Schema>; readonly sentKey: string | null },
  { config, deps, policy, inProcess }: FlowSetting,
  c: Context<HttpEnv>,
): Promise<FlowOutcome> {
  const { user, input, sentKey } = started;
  const walletId = userWalletId(user);
  const idempotencyKey = sentKey === null ? null : boundKey(walletId, flow.name, sentKey);
  const me = c.env.WORKFLOW_USER.getByName(walletId);
  const terms = { policy, log: deps.log };
  const { wrong } = await secretsVerdict(c.env, deps, ["FLOWS_SECRET"]);
  const call = {
    input,
    user,
    walletId,
    deps,
    appSecret: config.secret,
    policy,
    service: flowService(config, deps, inProcess(c)),
    wallets: userWallets(user, config, deps, c.env.KV, me, wrong.length === 0),
    holdGas: holdGasFor(me, idempotencyKey, terms),
    executedSince: (chain: Chain, sinceMs: number) => me.executedSince(chain, sinceMs),
    idempotencyKey,
  };
  if (flow.kind !== "execute") return flow.run(call);
  if (idempotencyKey === null) throw new Error("an execution was let through without its key");
  return flow.run({ ...call, idempotencyKey }, executeOnce(me, idempotencyKey, terms));
}

/** The route of a workflow: who may call it and how often, what its input must be, and how it answers. */
export function flowRoute<Schema extends z.ZodType>(
  flow: Flow<Schema>,
  setting: FlowSetting,
): (c: Context<HttpEnv>) => Promise<Response> {
  const { config, callsPerSecondPerUser, verifyJwt } = setting;
  return async (c) => {
    const { headers } = c.req.raw;
    const caller = await authenticate(headers, config, verifyJwt);
    if (!caller.ok) return respond(caller);
    const me = c.env.WORKFLOW_USER.getByName(userWalletId(caller.value));
    const retryAfterMs = await me.enter(callsPerSecondPerUser);
    if (retryAfterMs > 0)
      return respond(flowFailed(429, "rate_limited", "this user calls too often", { retryable: true, retryAfterMs }));
    const sentKey = headers.get(IDEMPOTENCY_HEADER);
    if (sentKey === null && flow.kind === "execute") return respond(badRequest(NO_IDEMPOTENCY_KEY));
    if (sentKey !== null && !IDEMPOTENCY_KEY.test(sentKey)) return respond(badRequest(BAD_IDEMPOTENCY_KEY));
    const sent = await readInput(c.req.raw);
    if (!sent.ok) return respond(sent);
    const input = flow.inputSchema.safeParse(sent.value);
    if (!input.success) return respond(badRequest(z.prettifyError(input.error)));
    return respond(await runFlow(flow, { user: caller.value, input: input.data, sentKey }, setting, c));
  };
}
