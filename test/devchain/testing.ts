import type { Signer } from "@mysten/sui/cryptography";
import { SuiGrpcClient } from "@mysten/sui/grpc";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import * as z from "zod";
import { QuickKeypair } from "../support/quick-keypair.ts";
import { type DevChain, openDevChain } from "./app.ts";
import type { Delays } from "./control.ts";
import { nodeSql } from "./node-sql.ts";
import type { Sql } from "./sql.ts";
import { LATEST_PROTOCOL } from "./sui/protocol.ts";

export const BASE_URL = "http://devchain.test";
const EPOCH_DURATION_MS = 86_400_000n;

const FaucetAnswer = z.object({ digest: z.string(), objectId: z.string() });

export interface TestChain {
  readonly chain: DevChain;
  readonly client: SuiGrpcClient;
  /** A client of another endpoint of the same chain. */
  clientOf(endpoint: string): SuiGrpcClient;
  /** The chain's clock; tests may move it. */
  readonly clock: { nowMs: number };
  /** Funds an address from the faucet, one coin an amount. */
  fund(address: string, ...amountsMist: bigint[]): Promise<void>;
  /** Puts an amount from the faucet into an address balance. */
  fundBalance(address: string, amountMist: bigint): Promise<void>;
  /** Makes an account that owns one coin for each amount. */
  account(...amountsMist: bigint[]): Promise<Ed25519Keypair>;
  control(method: string, path: string, body?: unknown): Promise<Response>;
}

/** A chain of the protocol in which figures were recorded: 1 % of a storage deposit is lost. */
export function startRecordedChain(): Promise<TestChain> {
  return startChain(nodeSql(), "binary", undefined, 137);
}

/** A chain in this process, and the stock client connected to it. */
export async function startChain(
  sql: Sql = nodeSql(),
  format: "binary" | "text" = "binary",
  delays?: Delays,
  protocolVersion = LATEST_PROTOCOL,
): Promise<TestChain> {
  const clock = { nowMs: Date.UTC(2026, 7, 1) };
  const options = { sql, nowMs: () => clock.nowMs, epochDurationMs: EPOCH_DURATION_MS, protocolVersion };
  const chain = await openDevChain({ ...options, ...(delays && { delays }) });
  const connect = (path: string) =>
    new SuiGrpcClient({ network: "localnet", baseUrl: `${BASE_URL}${path}`, format, fetch: fetchFromChain });

  /** Like a real fetch it gives up as soon as its signal says so, whatever the chain still does. */
  function fetchFromChain(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true });
    return Promise.race([chain.fetch(request), aborted]);
  }

  async function fund(address: string, ...amountsMist: bigint[]): Promise<void> {
    for (const amount of amountsMist) {
      const response = await control("POST", "/faucet", { network: "SUI_LOCALNET", address, amount: String(amount) });
      FaucetAnswer.parse(await response.json());
    }
  }

  async function fundBalance(address: string, amountMist: bigint): Promise<void> {
    const order = { network: "SUI_LOCALNET", address, amount: String(amountMist), form: "address_balance" };
    const response = await control("POST", "/faucet", order);
    if (!response.ok) throw new Error(await response.text());
  }

  function control(method: string, path: string, body?: unknown): Promise<Response> {
    return chain.fetch(
      new Request(`${BASE_URL}${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) }),
    );
  }

  return {
    chain,
    client: connect("/sui"),
    clientOf: (endpoint) => connect(`/sui/${endpoint}`),
    clock,
    fund,
    fundBalance,
    control,
    async account(...amountsMist) {
      const keypair = new QuickKeypair();
      await fund(keypair.toSuiAddress(), ...amountsMist);
      return keypair;
    },
  };
}

/** The signatures of several signers over one transaction, in their order. */
export async function signAll(bytes: Uint8Array, ...signers: Signer[]): Promise<string[]> {
  return Promise.all(signers.map(async (signer) => (await signer.signTransaction(bytes)).signature));
}
