import { expect } from "vitest";
import type * as z from "zod";
import type { Caller } from "../../shared/access/caller.ts";
import { contract, type MethodContract } from "../../shared/api/contract.ts";
import { done, type Outcome } from "../../shared/errors.ts";
import type { IdempotencyClaim } from "../../shared/idempotency.ts";
import { defaultKeyPolicy } from "../../shared/policy/fund-policy-defaults.ts";
import type { Admission, DispatchOptions } from "../../shared/rpc/answer-calls.ts";
import { dispatch } from "../../shared/rpc/dispatch.ts";
import { type Handler, handler, methodTable } from "../../shared/rpc/handler.ts";

export const url = "https://gasworks.test/sui/gas/v1";

export interface TestContext {
  readonly caller: Caller;
  readonly idempotency: IdempotencyClaim | null;
  readonly interfaceUrl: string;
}

export const caller: Caller = {
  keyId: `key_${"0".repeat(20)}`,
  projectId: `prj_${"0".repeat(20)}`,
  network: "SUI_LOCALNET",
  rights: ["gas"],
  fundId: `fund_${"0".repeat(20)}`,
  policy: defaultKeyPolicy("sui"),
  sessionEpoch: 0,
};

/** A handler for tests that care about the call only. */
export function method<Params extends z.ZodObject, Result extends z.ZodType>(
  name: string,
  params: Params,
  result: Result,
  run: (params: z.output<Params>, context: TestContext) => Promise<Outcome<z.output<Result>>>,
  { idempotent = false } = {},
): Handler<TestContext> {
  const definition: MethodContract<Params, Result> = contract({
    name,
    summary: name,
    description: name,
    stores: "little",
    rights: ["gas"],
    idempotent,
    params,
    result,
    errors: [],
    example: { params: [], result: null },
  });
  return handler(definition, run);
}

export function letEverybodyIn(calls: readonly unknown[]): Promise<Outcome<Admission>> {
  return Promise.resolve(done({ caller, calls: calls.map(() => done(null)) }));
}

export interface Fault {
  readonly method: string;
  readonly error: unknown;
}

/** As callers reach what is tested. */
export const INTERFACE_URL = "https://gasworks.test/sui/gas/v1";

export function endpoint(
  handlers: readonly Handler<TestContext>[],
  admit: DispatchOptions<TestContext>["admit"] = letEverybodyIn,
): DispatchOptions<TestContext> & { readonly faults: Fault[] } {
  const faults: Fault[] = [];
  return {
    handlers: methodTable(handlers),
    admit,
    context: (admitted, idempotency) => ({ caller: admitted, idempotency, interfaceUrl: INTERFACE_URL }),
    logFault: (name, error) => faults.push({ method: name, error }),
    faults,
  };
}

export function post(body: BodyInit | null, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
}

export interface Exchange {
  readonly status: number;
  /** Undefined where there is no body. */
  readonly body: unknown;
  readonly headers: Headers;
}

export async function exchange(request: Request, at: DispatchOptions<TestContext>): Promise<Exchange> {
  const { response } = await dispatch(request, at);
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text), headers: response.headers };
}

/** An error as the wire shows it, whatever its details. */
export function errorOf(code: number, id: unknown, reason?: string) {
  const data = reason === undefined ? expect.any(Object) : expect.objectContaining({ reason });
  return { jsonrpc: "2.0", error: { code, message: expect.any(String), data }, id };
}
