import type { Admitted } from "../access/access-key.ts";
import { bearerOf } from "../access/bearer.ts";
import type { Caller } from "../access/caller.ts";
import type { Right } from "../api/contract.ts";
import { discardBody, readBounded } from "../bounded-body.ts";
import { concatBytes, utf8 } from "../bytes.ts";
import type { Config } from "../config.ts";
import { type Outcome, refuse } from "../errors.ts";
import { refusalOfFault } from "../rpc/faults.ts";
import type { Passing } from "./attempt.ts";
import { forward, type Ports } from "./forward.ts";
import { allowedHeaders } from "./headers.ts";
import { targetOf } from "./path.ts";
import { type Checked, type GatewayRefusal, passed, refusalOf, refused } from "./refusal.ts";
import type { Ask, Upstream } from "./upstream.ts";

/** Whom the service lets in, and where the endpoints are. */
export interface Gate extends Ports {
  readonly config: Config;
  /** Without I/O. */
  isGenuine(keys: readonly string[]): Outcome<unknown>;
  admit(
    keys: readonly string[],
    calls: readonly (readonly Right[])[],
    computeUnits: number | undefined,
  ): Promise<Outcome<Admitted>>;
  /** Told to the log only. */
  fault(error: unknown): void;
}

/** An answer, and what the log may say about its request. */
export interface Served {
  readonly answer:
    | { readonly kind: "refused"; readonly response: Response }
    | { readonly kind: "passing"; readonly passing: Passing };
  readonly name: string | null;
  readonly keyId: string | null;
}

const NODE_RIGHTS: readonly Right[] = ["node"];

/** What a request's line and headers alone forbid, or what it asks. Browsers come first: they must learn nothing else. */
function askOf(upstream: Upstream, request: Request): Checked<Ask> {
  if (request.headers.has("origin"))
    return refused("browser_origin", "call the service from a back end: browsers are refused");
  if (!upstream.methods.includes(request.method))
    return refused("bad_method", `only ${upstream.methods.join(" and ")} are answered`);
  const target = targetOf(request.url, upstream.path);
  if (!target.ok) return target;
  if (Number(request.headers.get("content-length") ?? "0") > upstream.maxBodyBytes) return tooLong(upstream);
  return upstream.askOf(target.value, request);
}

function tooLong({ maxBodyBytes }: Upstream) {
  return refused("body_too_long", `the body is longer than ${maxBodyBytes} bytes`);
}

async function bodyOf(upstream: Upstream, request: Request): Promise<Checked<Uint8Array<ArrayBuffer> | null>> {
  if (request.method === "GET") return passed(null);
  const chunks: Uint8Array[] = [];
  try {
    const whole = await readBounded(request.body, upstream.maxBodyBytes, (chunk) => chunks.push(chunk));
    return whole ? passed(concatBytes(...chunks)) : tooLong(upstream);
  } catch {
    return refused("bad_body", "the body broke off");
  }
}

function keysOf({ headers }: Request, { pathKey }: Ask): readonly string[] {
  return [headers.get("X-Api-Key"), bearerOf(headers), pathKey].flatMap((key) => key || []);
}

interface Let {
  readonly caller: Caller;
  readonly computeUnitsLeft: number | undefined;
}

async function admitted(gate: Gate, keys: readonly string[], computeUnits?: number): Promise<Checked<Let>> {
  let outcome: Outcome<Admitted>;
  try {
    outcome = await gate.admit(keys, [NODE_RIGHTS], computeUnits);
  } catch (error) {
    gate.fault(error);
    outcome = { ok: false, refusal: refusalOfFault(error) };
  }
  if (!outcome.ok) return { ok: false, refusal: refusalOf(outcome.refusal) };
  const { caller, calls, computeUnitsLeft } = outcome.value;
  const verdict = calls[0] ?? refuse("internal", "admission gave no verdict");
  return verdict.ok ? passed({ caller, computeUnitsLeft }) : { ok: false, refusal: refusalOf(verdict.refusal) };
}

interface Prepared extends Let {
  readonly body: Uint8Array<ArrayBuffer> | null;
  /** What the answer says of compute units. */
  readonly spent: Readonly<Record<string, string>>;
}

/** A body is read only for a caller who is let in; where it decides what the call costs, for one with a genuine key. */
async function prepare(
  upstream: Upstream,
  request: Request,
  keys: readonly string[],
  gate: Gate,
): Promise<Checked<Prepared>> {
  const genuine = gate.isGenuine(keys);
  if (!genuine.ok) return { ok: false, refusal: refusalOf(genuine.refusal) };
  if (upstream.meter === undefined) {
    const entered = await admitted(gate, keys);
    if (!entered.ok) return entered;
    const body = await bodyOf(upstream, request);
    return body.ok ? passed({ ...entered.value, body: body.value, spent: {} }) : body;
  }
  const meter = await upstream.meter();
  const sent = await bodyOf(upstream, request);
  const quoted = sent.ok ? meter.quote(textOf(sent.value)) : sent;
  const units = quoted.ok ? quoted.value.computeUnits : meter.leastComputeUnits;
  const entered = await admitted(gate, keys, units);
  if (!entered.ok) return entered;
  if (!quoted.ok) return quoted;
  const spent = {
    "x-cu-used": String(units),
    "x-cu-remaining": String(entered.value.computeUnitsLeft ?? 0),
  };
  return passed({ ...entered.value, body: bytesOf(quoted.value.body), spent });
}

function textOf(bytes: Uint8Array | null): string {
  return new TextDecoder().decode(bytes ?? new Uint8Array());
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return concatBytes(utf8(text));
}

/**
 * Answers one request to a node's interface. Order: browsers; method, path and head; the key, without I/O; then, in one
 * call to the key's object, the key, its chain, its right and its rate; then the body, then the upstream. Never rejects.
 */
export async function serve(upstream: Upstream, request: Request, gate: Gate): Promise<Served> {
  const asked = askOf(upstream, request);
  if (!asked.ok) return refusing(upstream, request, asked.refusal, null, null);
  const ask = asked.value;
  const prepared = await prepare(upstream, request, keysOf(request, ask), gate);
  if (!prepared.ok) return refusing(upstream, request, prepared.refusal, ask, null);
  const { caller, body, spent } = prepared.value;
  const { keyId, network } = caller;
  const { urls, variable } = upstream.urlsOf(gate.config, network);
  const headers = allowedHeaders(request.headers, upstream.requestHeaders);
  const outgoing = { method: request.method, headers, body };
  const forwarded = await forward(upstream, { ask, network, urls, variable, outgoing }, gate);
  if (!forwarded.ok) {
    const served = await refusing(upstream, request, forwarded.refusal, ask, keyId);
    return served;
  }
  const passing = forwarded.value;
  for (const [name, value] of Object.entries(spent)) passing.headers.set(name, value);
  passing.headers.set("cache-control", "no-store");
  return { answer: { kind: "passing", passing }, name: ask.name, keyId };
}

async function refusing(
  upstream: Upstream,
  request: Request,
  refusal: GatewayRefusal,
  ask: Ask | null,
  keyId: string | null,
): Promise<Served> {
  if (!request.bodyUsed) await discardBody(request.body);
  return { answer: { kind: "refused", response: upstream.refuse(refusal, request) }, name: ask?.name ?? null, keyId };
}
