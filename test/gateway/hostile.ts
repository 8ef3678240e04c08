import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import type { AttemptTimeouts, UpstreamResponse } from "../../shared/gateway/attempt.ts";

/** Waits long for an answer, and shortly between its pieces. */
export const PATIENT: AttemptTimeouts = { answerMs: 30_000, writeMs: 30_000, idleMs: 200, streamIdleMs: 200 };

/** What reached an upstream, exactly as it came. */
export interface Reached {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export type Behaviour = (request: Reached, response: ServerResponse) => void;

/** An HTTP server that does what a test tells it, and remembers what reached it. */
export interface Hostile {
  readonly url: string;
  readonly reached: Reached[];
  behave(behaviour: Behaviour): void;
  stop(): Promise<void>;
}

export async function startHostile(first: Behaviour = answers()): Promise<Hostile> {
  let behaviour = first;
  const reached: Reached[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "", url: target = "", headers } = incoming;
    const request = { method, target, headers, body: Buffer.concat(chunks) };
    reached.push(request);
    behaviour(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://${LOOPBACK}:${address.port}`,
    reached,
    behave: (next) => {
      behaviour = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What an Aptos node of testnet puts into every answer. */
export const TESTNET_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  "x-aptos-chain-id": "2",
  "x-aptos-ledger-version": "7",
  "x-aptos-ledger-oldest-version": "0",
  "x-aptos-ledger-timestampusec": "1800000000000000",
};
export const LEDGER_INFO = JSON.stringify({ chain_id: 2 });

export function answers({ status = 200, headers = TESTNET_HEADERS, body = LEDGER_INFO }: Answer = {}): Behaviour {
  return (_, response) => void response.writeHead(status, headers).end(body);
}

/** Nothing, for ever. */
export const hangs: Behaviour = () => {};

/**
 * Gives up the first time after so long, or another time, and else only where the test would never end: for an endpoint
 * that hangs, with another one that answers, however busy the machine is.
 */
export function impatientOnce(limitMs: number, patience: AttemptTimeouts, time = 1): AttemptTimeouts {
  let waits = 0;
  const limit = (ms: number) => {
    waits += 1;
    return waits === time ? limitMs : ms;
  };
  return {
    ...patience,
    get answerMs() {
      return limit(patience.answerMs);
    },
    get writeMs() {
      return limit(patience.writeMs);
    },
  };
}

/** Cuts the line after half of what it said that it would send. */
export function breaksOff({ headers = TESTNET_HEADERS, body = LEDGER_INFO, status = 200 }: Answer = {}): Behaviour {
  return (_, response) => {
    response.writeHead(status, { ...headers, "content-length": String(body.length) });
    response.write(body.slice(0, body.length / 2));
    setTimeout(() => response.destroy(), 20);
  };
}

/** The same, of a body whose length it did not say. */
export function breaksOffInChunks({
  headers = TESTNET_HEADERS,
  body = LEDGER_INFO,
  status = 200,
}: Answer = {}): Behaviour {
  return (_, response) => {
    response.writeHead(status, headers);
    response.write(body.slice(0, body.length / 2));
    setTimeout(() => response.destroy(), 20);
  };
}

/** Refuses connections: nobody listens there any more. */
export async function nobody(): Promise<string> {
  const server = await startHostile();
  await server.stop();
  return server.url;
}

/** A body that is passed on, outside of the Workers runtime: what is passed uses its buffer again. */
export function bodyOf({ body }: UpstreamResponse): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null {
  if (body === null) return null;
  if (body instanceof Uint8Array) return Uint8Array.from(body);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform: (piece, controller) => controller.enqueue(piece.slice()),
  });
  void body.pipeTo(writable);
  return readable;
}
