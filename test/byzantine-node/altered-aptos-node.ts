import { vi } from "vitest";

/** The service's endpoint; a test has one of its own. */
const SERVICE_ENDPOINT = "http://chain.test/aptos/v1";
const MICROSECONDS_PER_MS = 1_000n;

/** What a call of the service meets on its way to the node and back. */
export interface Moment {
  /** As `POST /transactions`: a method, and what the path begins with behind `/v1`. */
  readonly method: string;
  /** Runs before the call is sent on. */
  readonly before?: () => Promise<unknown>;
  /** Runs once the node has answered, before the service sees it. */
  readonly after?: () => Promise<unknown>;
  readonly alter?: (response: Response) => Response | Promise<Response>;
  /** Answers in the node's place, which never hears of the call. */
  readonly instead?: () => Response;
}

/** Something else happens on the chain in the moment of the service's next call of a method. */
export function onceAt(method: string, { before, after }: Pick<Moment, "before" | "after">): Moment {
  const first = (action?: () => Promise<unknown>) => {
    let done = false;
    return async () => {
      if (done) return;
      done = true;
      await action?.();
    };
  };
  return { method, before: first(before), after: first(after) };
}

/** The headers of an answer, which say where the endpoint's ledger is. */
export function withHeaders(changed: (headers: Headers) => void, method = ""): Moment {
  return {
    method,
    alter: (response) => {
      const headers = new Headers(response.headers);
      if (headers.has("x-aptos-ledger-timestampusec")) changed(headers);
      return new Response(response.body, { status: response.status, headers });
    },
  };
}

/** Something else in the JSON of an answer, with the same headers. */
export function withJsonOf(method: string, change: (json: unknown) => unknown): Moment {
  return {
    method,
    alter: async (response) => {
      const headers = new Headers(response.headers);
      headers.delete("content-length");
      return Response.json(change(await response.json()), { status: response.status, headers });
    },
  };
}

/** The endpoint is a node of another chain. */
export function onChainId(chainId: number): readonly Moment[] {
  return [
    {
      method: "GET /",
      alter: async (response) => {
        const text = (await response.text()).replace('"chain_id":4', `"chain_id":${chainId}`);
        const headers = new Headers(response.headers);
        headers.delete("content-length");
        return new Response(text, { status: response.status, headers });
      },
    },
    withHeaders((headers) => headers.set("x-aptos-chain-id", String(chainId))),
  ];
}

/** The endpoint has seen the chain up to a moment of the service's clock. */
export function ledgerAt(timeMs: () => number): Moment {
  return withHeaders((headers) =>
    headers.set("x-aptos-ledger-timestampusec", String(BigInt(timeMs()) * MICROSECONDS_PER_MS)),
  );
}

/** The endpoint has seen the chain up to the service's own clock. */
export const atOurTime = ledgerAt(() => Date.now());

/** No mempool takes what is submitted. */
export function refusedByValidation(code: string, vmErrorCode: number): Moment {
  const message = `Invalid transaction: Type: Validation Code: ${code}`;
  const headers = {
    "x-aptos-chain-id": "4",
    "x-aptos-ledger-version": "1",
    "x-aptos-ledger-oldest-version": "0",
    "x-aptos-ledger-timestampusec": "1",
  };
  const body = { message, error_code: "vm_error", vm_error_code: vmErrorCode };
  return { method: "POST /transactions", instead: () => Response.json(body, { status: 400, headers }) };
}

let honest: typeof fetch | null = null;

/**
 * Between the service and the development chain from here on, until `vi.restoreAllMocks`: a node that lies, or a moment
 * in which something else happens. Replaces what was altered before.
 */
export function alterAptos(...moments: readonly Moment[]): void {
  if (!vi.isMockFunction(globalThis.fetch)) honest = globalThis.fetch;
  const send = honest ?? globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (!url.startsWith(SERVICE_ENDPOINT)) return send(input, init);
    const called = `${init?.method ?? "GET"} ${url.slice(SERVICE_ENDPOINT.length) || "/"}`;
    const wanted = moments.filter(({ method }) => called.startsWith(method));
    for (const { before } of wanted) await before?.();
    const standIn = wanted.find(({ instead }) => instead !== undefined)?.instead;
    let response = standIn === undefined ? await send(input, init) : standIn();
    for (const { after } of wanted) await after?.();
    for (const { alter } of wanted) response = (await alter?.(response)) ?? response;
    return response;
  });
}
