import type { Context } from "hono";
import * as z from "zod";
import type { JwtVerifier } from "../access/jwt.ts";
import type { Deps } from "../bindings/deps.ts";
import type { Fetch } from "../bindings/ports.ts";
import { concatBytes, lengthPrefixed } from "../bytes.ts";
import type { FlowsConfig } from "../config/workflows.ts";
import { sha256Base64url } from "../crypto/sha256.ts";
import { secretsVerdict } from "../directory/right-secrets.ts";
import type { AppEnv } from "../http/app.ts";
import { retryAfterHeader } from "../http/retry-after.ts";
import { BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY } from "../idempotency.ts";
import type { Chain } from "../networks.ts";
import type { PolicyUser } from "../policy/request.ts";
import type { Rule } from "../policy/rule.ts";
import { readBoundedText } from "../rpc/json.ts";
import { type ExecuteOnce, executeOnce } from "./attempt.ts";
import { authenticate } from "./caller.ts";
import {
  shownError,
  type WorkflowFailure,
  type WorkflowOutcome,
  type WorkflowResult,
  workflowFailed,
} from "./errors.ts";
import { type ReserveSponsorship, reserveSponsorshipFor } from "./limits.ts";
import { type ServiceByChain, serviceByChain } from "./service.ts";
import { userWalletId } from "./wallet-clients.ts";
import { type UserWallets, userWallets } from "./wallets.ts";

/** The limit fits a transaction of 128 KiB in Base64, and the other fields. */
const MAX_BODY_BYTES = 262_144;
const NO_IDEMPOTENCY_KEY =
  "send an Idempotency-Key, one for each thing that the user wants done: a repeat with the same one has no second effect";

/** The context of a workflow: its user, and the service as the app's access keys reach it. */
export interface WorkflowContext<Input> {
  readonly input: Input;
  /** The user as the policy sees them. */
  readonly user: PolicyUser;
  /** The id of the user's wallet, whether it exists or not. Each pair of issuer and subject has one id. */
  readonly walletId: string;
  readonly deps: Deps;
  /** FLOWS_SECRET. */
  readonly flowsSecret: Uint8Array | null;
  readonly service: ServiceByChain;
  readonly policy: readonly Rule[];
  readonly wallets: UserWallets;
  readonly reserveSponsorship: ReserveSponsorship;
  /**
   * Returns the transactions that the user's attempts on a chain have executed since a time, or may have. Each is in
   * its workflow's own format.
   */
  readonly executedSince: (chain: Chain, sinceMs: number) => Promise<readonly string[]>;
  /** The key for the one call that has the workflow's effect. Null if the caller sent none. */
  readonly idempotencyKey: string | null;
}

/** The context of a workflow that executes. Its callers name each attempt, so that none is repeated by accident. */
export interface ExecutingContext<Input> extends WorkflowContext<Input> {
  readonly idempotencyKey: string;
  /** Executes one transaction for all calls of the attempt. */
  readonly once: ExecuteOnce;
}

interface Named<Schema extends z.ZodType> {
  /** Last segment of its path. Idempotency keys are bound to it: it never changes. */
  readonly name: string;
  /** The schema of the JSON body, or of the query if the workflow is mounted as GET. */
  readonly input: Schema;
}

interface Repeatable<Schema extends z.ZodType> extends Named<Schema> {
  readonly needsKey?: false;
  handle(context: WorkflowContext<z.output<Schema>>): Promise<WorkflowOutcome>;
}

interface Executing<Schema extends z.ZodType> extends Named<Schema> {
  /** Refuses a call without an Idempotency-Key. */
  readonly needsKey: true;
  handle(context: ExecutingContext<z.output<Schema>>): Promise<WorkflowOutcome>;
}

/** A workflow of the app: a Hono handler, with a function that starts it for a user without a request of theirs. */
export interface Workflow<Schema extends z.ZodType = z.ZodType> {
  (c: Context<WorkflowEnv>): Promise<Response>;
  readonly workflow: string;
  /** Starts the workflow. @param attempt.key names the attempt; a workflow that executes has one. */
  start(attempt: Attempt<z.output<Schema>>, c: Context<WorkflowEnv>): Promise<WorkflowOutcome>;
}

interface Attempt<Input> {
  readonly user: PolicyUser;
  readonly input: Input;
  /** The caller's Idempotency-Key, as it was sent. */
  readonly key: string | null;
}

/**
 * Returns the caller's key in the form that the service gets. The service knows the app, not its users. Equal keys of
 * two users, or of two workflows, become different keys.
 */
function scopedIdempotencyKey(walletId: string, flow: string, idempotencyKey: string): string {
  const named = concatBytes(...[walletId, flow, idempotencyKey].map(lengthPrefixed));
  return sha256Base64url(named);
}

function respond(outcome: WorkflowOutcome): Response {
  if (outcome.ok) return Response.json(outcome.value);
  const { status, retryAfterMs } = outcome.error;
  return Response.json({ error: shownError(outcome.error) }, { status, headers: retryAfterHeader(retryAfterMs) });
}

function badRequest(message: string): WorkflowFailure {
  return workflowFailed(400, "bad_request", message);
}

async function readInput(request: Request): Promise<WorkflowResult<unknown>> {
  if (request.method === "GET") return { ok: true, value: Object.fromEntries(new URL(request.url).searchParams) };
  const text = await readBoundedText(request.body, MAX_BODY_BYTES).catch(() => undefined);
  if (text === undefined) return badRequest("the body must be UTF-8");
  if (text === null) return badRequest(`the body must have at most ${MAX_BODY_BYTES} bytes`);
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return badRequest("the body must be valid JSON");
  }
}

/** The content of `functions/policy.ts`. */
export interface AppPolicy {
  readonly policy: readonly Rule[];
  readonly callsPerSecondPerUser: number;
}

/** The configuration and the means of all workflows. */
export interface WorkflowSettings extends AppPolicy {
  readonly config: FlowsConfig;
  readonly deps: Deps;
  readonly verifyJwt: JwtVerifier | null;
  /** Calls the service of this deployment; used if no FLOWS_BASE_URL is set. */
  readonly inProcess: (c: Context<WorkflowEnv>) => Fetch;
}

/** The variables that the handlers of workflows find in Hono's context. */
export interface WorkflowEnv {
  Bindings: AppEnv["Bindings"];
  Variables: AppEnv["Variables"] & { setting: WorkflowSettings };
}

/**
 * Makes a Hono handler of a workflow. It authenticates the caller, limits their rate, parses the input, and answers the
 * result of `handle` as JSON. Refusals: 400, 401 and 429, and those of `handle`.
 */
export function workflow<Schema extends z.ZodType>(terms: Repeatable<Schema> | Executing<Schema>): Workflow<Schema> {
  const start: Workflow<Schema>["start"] = async (attempt, c) => {
    const context = await contextOf(terms.name, attempt, c);
    if (terms.needsKey !== true) return terms.handle(context);
    const { idempotencyKey, walletId, policy, deps } = context;
    if (idempotencyKey === null) throw new Error("an execution was let through without its key");
    const me = c.env.WORKFLOW_USER.getByName(walletId);
    return terms.handle({
      ...context,
      idempotencyKey,
      once: executeOnce(me, idempotencyKey, { policy, log: deps.log }),
    });
  };
  const handler = async (c: Context<WorkflowEnv>): Promise<Response> => {
    const attempt = await readAttempt(terms, c);
    return respond(attempt.ok ? await start(attempt.value, c) : attempt);
  };
  return Object.assign(handler, { workflow: terms.name, start });
}

async function contextOf<Input>(
  name: string,
  { user, input, key }: Attempt<Input>,
  c: Context<WorkflowEnv>,
): Promise<WorkflowContext<Input>> {
  const { config, deps, policy, inProcess } = c.var.setting;
  const walletId = userWalletId(user);
  const idempotencyKey = key === null ? null : scopedIdempotencyKey(walletId, name, key);
  const me = c.env.WORKFLOW_USER.getByName(walletId);
  const { wrong } = await secretsVerdict(c.env, deps, ["FLOWS_SECRET"]);
  return {
    input,
    user,
    walletId,
    deps,
    flowsSecret: config.secret,
    policy,
    service: serviceByChain(config, deps, inProcess(c)),
    wallets: userWallets(user, config, deps, c.env.KV, me, wrong.length === 0),
    reserveSponsorship: reserveSponsorshipFor(me, idempotencyKey, { policy, log: deps.log }),
    executedSince: (chain: Chain, sinceMs: number) => me.executedSince(chain, sinceMs),
    idempotencyKey,
  };
}

/** Authenticates the caller, limits their rate, and parses their input. */
async function readAttempt<Schema extends z.ZodType>(
  { input: schema, needsKey }: Repeatable<Schema> | Executing<Schema>,
  c: Context<WorkflowEnv>,
): Promise<WorkflowResult<Attempt<z.output<Schema>>>> {
  const { config, callsPerSecondPerUser, verifyJwt } = c.var.setting;
  const { headers } = c.req.raw;
  const caller = await authenticate(headers, config, verifyJwt);
  if (!caller.ok) return caller;
  const me = c.env.WORKFLOW_USER.getByName(userWalletId(caller.value));
  const retryAfterMs = await me.takeRateToken(callsPerSecondPerUser);
  if (retryAfterMs > 0)
    return workflowFailed(429, "rate_limited", "this user calls too often: wait for Retry-After", {
      retryable: true,
      retryAfterMs,
    });
  const key = headers.get(IDEMPOTENCY_HEADER);
  if (key === null && needsKey === true) return badRequest(NO_IDEMPOTENCY_KEY);
  if (key !== null && !IDEMPOTENCY_KEY.test(key)) return badRequest(BAD_IDEMPOTENCY_KEY);
  const sent = await readInput(c.req.raw);
  if (!sent.ok) return sent;
  const input = schema.safeParse(sent.value);
  if (!input.success) return badRequest(z.prettifyError(input.error));
  return { ok: true, value: { user: caller.value, input: input.data, key } };
}
