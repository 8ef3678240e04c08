import type { Context } from "hono";
import * as z from "zod";
import { carriesBearer } from "../shared/access/bearer.ts";
import { createGasClient, type GasClient } from "../shared/client/gas-client.ts";
import type { ClientError } from "../shared/client/rpc-client.ts";
import type { FlowsConfig } from "../shared/config.ts";
import type { Deps } from "../shared/deps.ts";
import { type SuiNetwork, suiNetworks } from "../shared/networks.ts";
import type { Fetch } from "../shared/ports.ts";
import { readBoundedText } from "../shared/rpc/json.ts";
import { type HttpEnv, jsonError } from "./http.ts";

/** A transaction of 128 KiB in Base64, and room for the rest. */
const MAX_BODY_BYTES = 262_144;
const METHOD_NOT_FOUND = -32601;
const USER_ID = /^[\x21-\x7e]{1,256}$/;
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

export interface FlowError {
  readonly status: 400 | 401 | 403 | 404 | 409 | 422 | 429 | 503 | 504;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** Where a transaction may have been sent: look it up before anything else. */
  readonly digest?: string;
}

export type FlowOutcome =
  | { readonly ok: true; readonly body: object }
  | { readonly ok: false; readonly error: FlowError };

/** What a workflow is given: who asks, and a client of the service that holds the app's access key. */
export interface FlowCall<Body> {
  readonly body: Body;
  readonly user: string;
  readonly network: SuiNetwork;
  readonly gas: GasClient;
}

/** One of the app's workflows: a body that it accepts, and what it does. */
export interface Flow<Schema extends z.ZodType = z.ZodType> {
  readonly bodySchema: Schema;
  /** An execution must not be repeated by accident, so its callers name each attempt. */
  readonly needsIdempotencyKey: boolean;
  readonly run: (call: FlowCall<z.output<Schema>>) => Promise<FlowOutcome>;
}

export function flowFailed(
  status: FlowError["status"],
  code: string,
  message: string,
  more: { readonly retryable?: boolean; readonly digest?: string } = {},
): { readonly ok: false; readonly error: FlowError } {
  const { retryable = false, digest } = more;
  return { ok: false, error: { status, code, message, retryable, ...(digest !== undefined && { digest }) } };
}

/** The service's refusal as the app's front end hears it. `digest`: what the call may have sent. */
export function flowFailureOf(error: ClientError, digest?: string): { readonly ok: false; readonly error: FlowError } {
  if (error.kind !== "refused")
    return digest === undefined
      ? flowFailed(503, "node_unavailable", `the service did not answer: ${error.details}`, { retryable: true })
      : flowFailed(504, "outcome_unknown", "the service did not answer: look the digest up", { digest });
  const { reason, details } = error;
  // Other services of this wire format lack it, and give no reasons.
  if (error.code === METHOD_NOT_FOUND)
    return flowFailed(503, "not_configured", "the service at FLOWS_BASE_URL cannot prepare and execute sponsorships");
  switch (reason) {
    case "dry_run_failed":
    case "node_refused":
      return flowFailed(422, "transaction_failed", details);
    case "rate_limited":
      return flowFailed(429, "rate_limited", details, { retryable: true });
    case "unknown_sponsorship":
    case "sponsorship_expired":
      return flowFailed(404, reason, details);
    case "outcome_unknown":
      return flowFailed(504, "outcome_unknown", details, digest === undefined ? {} : { digest });
    case "no_gas_object":
    case "balance_too_low":
    case "fund_paused":
      return flowFailed(503, "fund_unavailable", details, { retryable: reason === "no_gas_object" });
    case "bad_key":
    case "wrong_region":
    case "wrong_network":
    case "missing_right":
      return flowFailed(503, "not_configured", `FLOWS_SUI_KEY is not accepted by the service: ${details}`);
    default:
      if (error.code === -32602) return flowFailed(400, "bad_request", details);
      // Only these two say that nothing was sent; after any other failure of an execution, the digest decides.
      return digest === undefined || reason === "node_unavailable" || reason === "overloaded"
        ? flowFailed(503, "node_unavailable", details, { retryable: true })
        : flowFailed(504, "outcome_unknown", details, { digest });
  }
}

/** `us1_sui_testnet_…` → `SUI_TESTNET`. Only the prefix is read: another service's keys may go on differently. */
function networkOfKey(accessKey: string): SuiNetwork | null {
  const slug = /^[a-z0-9]+_(sui_[a-z]+)_/.exec(accessKey)?.[1];
  return suiNetworks.find((network) => network.toLowerCase() === slug) ?? null;
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
    const idempotencyKey = headers.get("idempotency-key");
    if (idempotencyKey === null ? flow.needsIdempotencyKey : !IDEMPOTENCY_KEY.test(idempotencyKey))
      return respond(flowFailed(400, "bad_request", "Idempotency-Key must be 1 to 255 printable ASCII characters"));
    const body = flow.bodySchema.safeParse(await readBody(c.req.raw));
    if (!body.success) return respond(flowFailed(400, "bad_request", z.prettifyError(body.error)));
    const network = networkOfKey(config.suiKey);
    if (network === null)
      return jsonError(503, "not_configured", "FLOWS_SUI_KEY is not an access key for a Sui network");
    const gas = createGasClient({
      baseUrl: config.baseUrl ?? "https://service.invalid",
      accessKey: config.suiKey,
      fetch: config.baseUrl === null ? inProcess(c) : deps.fetch,
    });
    return respond(await flow.run({ body: body.data, user, network, gas }));
  };
}
