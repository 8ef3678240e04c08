import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Account, Aptos, AptosConfig, Network, type SimpleTransaction } from "@aptos-labs/ts-sdk";
import { onTestFinished } from "vitest";
import { type DevChain, openDevChain } from "./app.ts";
import type { Delays } from "./control.ts";
import { nodeSql } from "./node-sql.ts";
import type { Sql } from "./sql.ts";

export const APT = 100_000_000n;
const EPOCH_DURATION_MS = 86_400_000n;

export interface AptosTestChain {
  readonly chain: DevChain;
  readonly url: string;
  readonly aptos: Aptos;
  /** The stock client, connected to another endpoint of the same chain. */
  clientOf(endpoint: string): Aptos;
  /** How far the chain's clock is ahead: the stock client goes by the real one, and so it runs on by itself. */
  /** It also runs on by `stepMs` whenever the chain reads it. */
  readonly clock: { aheadMs: number; stepMs: number };
  account(octas?: bigint): Promise<Account>;
  fund(address: string, octas: bigint): Promise<{ hash: string }>;
  control(method: string, path: string, body?: unknown): Promise<Response>;
  /** A call of the REST API; the path follows `/v1`. */
  call(method: string, path: string, init?: RequestInit): Promise<Response>;
}

/** A chain behind a real HTTP server in this process, and the stock client connected to it. */
export async function startAptosChain(sql: Sql = nodeSql(), delays?: Delays): Promise<AptosTestChain> {
  const clock = { aheadMs: 0, stepMs: 0 };
  const nowMs = () => {
    clock.aheadMs += clock.stepMs;
    return Date.now() + clock.aheadMs;
  };
  const options = { sql, nowMs, epochDurationMs: EPOCH_DURATION_MS };
  const chain = await openDevChain({ ...options, ...(delays && { delays }) });
  const server = createServer((incoming, outgoing) => {
    // As the runtime answers where a Worker throws: a test then fails instead of waiting.
    serve(chain, incoming, outgoing).catch((error: unknown) => outgoing.writeHead(500).end(String(error)));
  });
  const url = await listen(server);
  onTestFinished(() => void server.close());

  const connect = (path: string) =>
    new Aptos(
      new AptosConfig({ network: Network.LOCAL, fullnode: `${url}${path}/v1`, indexer: `${url}${path}/graphql` }),
    );

  function control(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${url}${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  }

  async function fund(address: string, octas: bigint): Promise<{ hash: string }> {
    const order = { network: "APTOS_LOCALNET", address, amount: String(octas) };
    const response = await control("POST", "/faucet", order);
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }

  return {
    chain,
    url,
    aptos: connect("/aptos"),
    clientOf: (endpoint) => connect(`/aptos/${endpoint}`),
    clock,
    fund,
    control,
    call: (method, path, init) => fetch(`${url}/aptos/v1${path}`, { ...init, method }),
    async account(octas) {
      const account = Account.generate();
      if (octas !== undefined) await fund(account.accountAddress.toString(), octas);
      return account;
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}`;
}

async function serve(chain: DevChain, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { method = "GET", url = "/", headers } = incoming;
  const abort = new AbortController();
  outgoing.on("close", () => abort.abort());
  const request = new Request(`http://devchain.test${url}`, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    signal: abort.signal,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  const response = await chain.fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

/** Signs, submits and waits; gives the committed transaction whether it succeeded or not. */
export async function run(aptos: Aptos, signer: Account, transaction: SimpleTransaction) {
  const { hash } = await aptos.signAndSubmitTransaction({ signer, transaction });
  return aptos.waitForTransaction({ transactionHash: hash, options: { checkSuccess: false } });
}

export function transferOf(aptos: Aptos, sender: Account, to: Account, octas: bigint, options = {}) {
  return aptos.transaction.build.simple({
    sender: sender.accountAddress,
    data: { function: "0x1::aptos_account::transfer", functionArguments: [to.accountAddress, octas] },
    options,
  });
}

/** What the stock client throws at an answer of the node. */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ answered: value }),
    (error: unknown) => error,
  );
  if (typeof outcome === "object" && outcome !== null && "status" in outcome && "data" in outcome) {
    return { status: outcome.status, ...Object(outcome.data) };
  }
  return outcome;
}
