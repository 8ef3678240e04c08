import type { Caller } from "../access/caller.ts";
import type { Admitted } from "../access/record.ts";
import type { Right } from "../api/contract.ts";
import { concatBytes, utf8 } from "../bytes.ts";
import type { Config } from "../config/config.ts";
import { type Outcome, refuse } from "../errors.ts";
import { bearerOf } from "../http/bearer.ts";
import { discardBody, readRequestBytes } from "../http/bounded-body.ts";
import { isFromPage, PAGE_REFUSAL } from "../http/origin.ts";
import { refusalOfFault } from "../rpc/faults.ts";
import type { UpstreamResponse } from "./attempt.ts";
import { type Checked, type GatewayRefusal, passed, refusalOf, refused } from "./errors.ts";
import { type ForwardDeps, forward } from "./forward.ts";
import { allowedHeaders, type HeaderRecord } from "./headers.ts";
import { parseRequestTarget } from "./request-target.ts";
import type { Upstream, UpstreamRequest } from "./upstream.ts";

/** The parts that a gateway needs: admission, configuration and endpoints. */
export interface GatewayDeps extends ForwardDeps {
  readonly config: Config;
  /** Verifies that one of the keys is genuine, without I/O. */
  verifyKey(keys: readonly string[]): Outcome<unknown>;
  admit(
    keys: readonly string[],
    calls: readonly (readonly Right[])[],
    computeUnits: number | undefined,
  ): Promise<Outcome<Admitted>>;
  /** Writes the fault to the log only. */
  logFault(error: unknown): void;
}

/** An answer, with the parts of its request that the log may show. */
export interface GatewayResult {
  readonly answer:
    | { readonly kind: "refused"; readonly response: Response }
    | { readonly kind: "passing"; readonly passing: UpstreamResponse };
  readonly logName: string | null;
  readonly keyId: string | null;
  /** Why the gateway refused. Absent if it did not. */
  readonly reason?: string;
  /** The transaction of an outcome that is unknown. */
  readonly digest?: string;
}

const NODE_RIGHTS: readonly Right[] = ["node"];

/**
 * Refuses by a request's line and headers alone, or returns the request for the upstream. Browsers are refused first:
 * they must learn nothing else.
 */
function classify(upstream: Upstream, request: Request): Checked<UpstreamRequest> {
  if (isFromPage(request.headers)) return refused(PAGE_REFUSAL.reason, PAGE_REFUSAL.details);
  if (!upstream.methods.includes(request.method))
    return refused(
      "bad_method",
      `only ${upstream.methods.join(" and ")} ${upstream.methods.length === 1 ? "is" : "are"} answered`,
    );
  const target = parseRequestTarget(request.url, upstream.path);
  if (!target.ok) return target;
  if (Number(request.headers.get("content-length") ?? "0") > upstream.maxBodyBytes) return tooLong(upstream);
  return upstream.classify(target.value, request);
}

function tooLong({ maxBodyBytes }: Upstream) {
  return refused("body_too_long", `the body must have at most ${maxBodyBytes} bytes`);
}

async function bodyOf(upstream: Upstream, request: Request): Promise<Checked<Uint8Array<ArrayBuffer> | null>> {
  if (request.method === "GET") return passed(null);
  try {
    const bytes = await readRequestBytes(request, upstream.maxBodyBytes);
    return bytes === null ? tooLong(upstream) : passed(bytes);
  } catch {
    return refused("bad_body", "the body broke off: send it again");
  }
}

function keysOf({ headers }: Request, { pathKey }: UpstreamRequest): readonly string[] {
  return [headers.get("X-Api-Key"), bearerOf(headers), pathKey].flatMap((key) => key || []);
}

interface AdmittedRequest {
  readonly caller: Caller;
  readonly computeUnitsLeft: number | undefined;
}

async function admitted(
  gate: GatewayDeps,
  keys: readonly string[],
  computeUnits?: number,
): Promise<Checked<AdmittedRequest>> {
  let outcome: Outcome<Admitted>;
  try {
    outcome = await gate.admit(keys, [NODE_RIGHTS], computeUnits);
  } catch (error) {
    gate.logFault(error);
    outcome = { ok: false, error: refusalOfFault(error) };
  }
  if (!outcome.ok) return { ok: false, error: refusalOf(outcome.error) };
  const { caller, calls, computeUnitsLeft } = outcome.value;
  const verdict = calls[0] ?? refuse("internal", "admission gave no verdict");
  return verdict.ok ? passed({ caller, computeUnitsLeft }) : { ok: false, error: refusalOf(verdict.error) };
}

interface ReadRequest {
  readonly caller: Caller;
  readonly body: Checked<Uint8Array<ArrayBuffer> | null>;
  /** The headers about compute units that any answer carries. */
  readonly spent: HeaderRecord;
}

/** Reads a body only after the caller is admitted. If the body decides the cost, a genuine key is enough to read it. */
async function admitAndRead(
  upstream: Upstream,
  request: Request,
  keys: readonly string[],
  gate: GatewayDeps,
): Promise<Checked<ReadRequest>> {
  if (upstream.meter === undefined) {
    const admission = await admitted(gate, keys);
    return admission.ok
      ? passed({ caller: admission.value.caller, body: await bodyOf(upstream, request), spent: {} })
      : admission;
  }
  const genuine = gate.verifyKey(keys);
  if (!genuine.ok) return { ok: false, error: refusalOf(genuine.error) };
  const meter = await upstream.meter();
  const sent = await bodyOf(upstream, request);
  const quoted = sent.ok ? meter.quote(textOf(sent.value)) : sent;
  const units = quoted.ok ? quoted.value.computeUnits : meter.leastComputeUnits;
  const admission = await admitted(gate, keys, units);
  if (!admission.ok) return admission;
  const { caller, computeUnitsLeft = 0 } = admission.value;
  const spent = { "x-cu-used": String(units), "x-cu-remaining": String(computeUnitsLeft) };
  return passed({ caller, body: quoted.ok ? passed(bytesOf(quoted.value.body)) : quoted, spent });
}

function textOf(bytes: Uint8Array | null): string {
  return new TextDecoder().decode(bytes ?? new Uint8Array());
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return concatBytes(utf8(text));
}

/**
 * Answers one request to a node's interface. Browsers are checked first. Then come method, path and head, then the key
 * without I/O. One call to the key's object then checks the key, its chain, its right and its rate. Then the body is
 * read, and the upstream is called. Never rejects.
 */
export async function handleGatewayRequest(
  upstream: Upstream,
  request: Request,
  gate: GatewayDeps,
): Promise<GatewayResult> {
  const asked = classify(upstream, request);
  if (!asked.ok) return refusedResult(upstream, request, asked.error, { logName: null, keyId: null });
  const ask = asked.value;
  const { logName } = ask;
  const entered = await admitAndRead(upstream, request, keysOf(request, ask), gate);
  if (!entered.ok) return refusedResult(upstream, request, entered.error, { logName, keyId: null });
  const { caller, body, spent } = entered.value;
  const known = { logName, keyId: caller.keyId };
  const forwarded = body.ok ? await forwardRequest(upstream, request, { ask, caller, body: body.value }, gate) : body;
  if (!forwarded.ok) return refusedResult(upstream, request, forwarded.error, known, spent);
  const passing = forwarded.value;
  const headers = { ...passing.headers, ...spent, "cache-control": "no-store" };
  return { answer: { kind: "passing", passing: { ...passing, headers } }, ...known };
}

function forwardRequest(
  upstream: Upstream,
  request: Request,
  { ask, caller, body }: { ask: UpstreamRequest; caller: Caller; body: Uint8Array<ArrayBuffer> | null },
  gate: GatewayDeps,
): Promise<Checked<UpstreamResponse>> {
  const { network } = caller;
  const headers = allowedHeaders(request.headers, upstream.requestHeaders);
  const outgoing = { method: request.method, headers, body };
  return forward(upstream, { ask, network, ...upstream.urlsOf(gate.config, network), outgoing }, gate);
}

async function refusedResult(
  upstream: Upstream,
  request: Request,
  refusal: GatewayRefusal,
  known: Pick<GatewayResult, "logName" | "keyId">,
  spent: HeaderRecord = {},
): Promise<GatewayResult> {
  if (!request.bodyUsed) await discardBody(request.body);
  const response = upstream.errorResponse(refusal, request);
  for (const [name, value] of Object.entries(spent)) response.headers.set(name, value);
  const { reason, reference: digest } = refusal;
  return { answer: { kind: "refused", response }, ...known, reason, ...(digest !== undefined && { digest }) };
}
