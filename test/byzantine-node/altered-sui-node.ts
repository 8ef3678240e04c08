import { GrpcTypes } from "@mysten/sui/grpc";
import { fromBase58, toHex } from "@mysten/sui/utils";
import { vi } from "vitest";

/** A gRPC-web message frame: a flag, the length of the message, the message. The trailers follow in a frame of their own. */
const HEADER_BYTES = 5;

const LOOK_UP = "LedgerService/BatchGetTransactions";
/** The gRPC status of what a node does not know. */
const NOT_FOUND = 5;
/** The service's endpoint; a test has one of its own. */
const SERVICE_ENDPOINT = "/sui/sui.rpc.";

export interface Alteration {
  /** `Service/Method`; null: all of them. */
  readonly method: string | null;
  /** Part of the endpoint's URL; absent: the service's only one. */
  readonly endpoint?: string;
  /** What the reply's headers say instead. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Sees what is asked; answers instead of the node, or null. */
  readonly request?: (message: Uint8Array) => Response | null;
  readonly apply?: (message: Uint8Array) => Uint8Array;
  /** Runs before the call is sent on. */
  readonly before?: () => Promise<void>;
  /** Runs once the node has answered, before the service sees it. */
  readonly after?: () => Promise<void>;
}

/** A change to the replies of one method of the node. */
export function alteration<Reply>(
  method: string,
  type: { fromBinary(bytes: Uint8Array): Reply; toBinary(reply: Reply): Uint8Array },
  alter: (reply: Reply) => void,
): Alteration {
  return {
    method,
    apply: (message) => {
      const reply = type.fromBinary(message);
      alter(reply);
      return type.toBinary(reply);
    },
  };
}

/** The endpoint says, in all of its replies, that it is of another chain: the base58 digest of its genesis. */
export function asChain(chainIdentifier: string, endpoint = SERVICE_ENDPOINT): readonly Alteration[] {
  const named = alteration("LedgerService/GetServiceInfo", GrpcTypes.GetServiceInfoResponse, (reply) => {
    reply.chainId = chainIdentifier;
  });
  // A node writes its chain's first bytes in its headers.
  const headers = { "x-sui-chain-id": toHex(fromBase58(chainIdentifier).subarray(0, 4)) };
  return [
    { ...named, endpoint },
    { method: null, endpoint, headers: () => headers },
  ];
}

/** The endpoint, or each of them, has pruned the whole history: it shows no transaction. */
export function pruned(endpoint?: string): readonly Alteration[] {
  const forgetful = alteration(LOOK_UP, GrpcTypes.BatchGetTransactionsResponse, ({ transactions }) => {
    for (const transaction of transactions)
      transaction.result = { oneofKind: "error", error: { code: NOT_FOUND, message: "", details: [] } };
  });
  const headers = { method: null, headers: () => ({ "x-sui-lowest-available-checkpoint": "1000000000" }) };
  return [forgetful, headers].map((one) => (endpoint === undefined ? one : { ...one, endpoint }));
}

/** Something else happens on the chain in the moment of the service's next call of a method. */
export function once(
  method: string,
  { before, after }: { readonly before?: () => Promise<unknown>; readonly after?: () => Promise<unknown> },
): Alteration {
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

function withMessage(body: Uint8Array, apply: (message: Uint8Array) => Uint8Array): Uint8Array<ArrayBuffer> {
  const end = HEADER_BYTES + new DataView(body.buffer, body.byteOffset).getUint32(1);
  const message = apply(body.subarray(HEADER_BYTES, end));
  const trailers = body.subarray(end);
  const out = new Uint8Array(HEADER_BYTES + message.length + trailers.length);
  new DataView(out.buffer).setUint32(1, message.length);
  out.set(message, HEADER_BYTES);
  out.set(trailers, HEADER_BYTES + message.length);
  return out;
}

let honest: typeof fetch | null = null;

/**
 * Between the service and the development chain from here on, until `vi.restoreAllMocks`: a node that lies, or a moment
 * in which something else happens. Replaces what was altered before.
 */
export function alterReplies(...alterations: readonly Alteration[]): void {
  if (!vi.isMockFunction(globalThis.fetch)) honest = globalThis.fetch;
  const send = honest ?? globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const wanted = alterations.filter(
      ({ method, endpoint = SERVICE_ENDPOINT }) =>
        url.includes(endpoint) && (method === null || url.endsWith(`.${method}`)),
    );
    const body = init?.body instanceof Uint8Array ? init.body.subarray(HEADER_BYTES) : new Uint8Array();
    for (const { request } of wanted) {
      const instead = request?.(body) ?? null;
      if (instead !== null) return instead;
    }
    for (const { before } of wanted) await before?.();
    const sent = await send(input, init);
    const headers = new Headers(sent.headers);
    for (const change of wanted)
      for (const [name, value] of Object.entries(change.headers?.() ?? {})) headers.set(name, value);
    const response = new Response(sent.body, { status: sent.status, headers });
    for (const { after } of wanted) await after?.();
    const changes = wanted.flatMap(({ apply }) => apply ?? []);
    // A status without a message has nothing to alter.
    if (changes.length === 0 || !response.ok) return response;
    const honestBody = new Uint8Array(await response.arrayBuffer());
    if (honestBody[0] !== 0) return new Response(honestBody, response);
    return new Response(changes.reduce(withMessage, honestBody), response);
  });
}
