import { type Account, generateSignedTransaction, generateUserTransactionHash } from "@aptos-labs/ts-sdk";
import { expect } from "vitest";
import type { AptosNode } from "../../../shared/chain/aptos/node.ts";
import { encodeRawTransaction } from "../../../shared/chain/aptos/raw-transaction.ts";
import { createAptosNode } from "../../../shared/chain/aptos/rest/node.ts";
import { decodeSignedTransaction } from "../../../shared/chain/aptos/signed-transaction.ts";
import { EndpointMemory } from "../../../shared/chain/endpoint-memory.ts";
import type { AptosNetwork } from "../../../shared/networks.ts";
import { APT, type AptosTestChain, startAptosChain } from "../../devchain/aptos-testing.ts";

const BLOCK_MS = 1_000;

/** What becomes of an endpoint's answer on its way. */
type Alteration = (response: Response, path: string) => Response | Promise<Response>;

export interface NodeFixture {
  readonly chain: AptosTestChain;
  /** Asks endpoint a, and b where a gives no answer. */
  readonly node: AptosNode;
  /** How far the service's clock is ahead of the chain's. */
  readonly clock: { aheadMs: number };
  /** Asks these endpoints in this order, and remembers nothing of other nodes. */
  nodeOf(endpoints: readonly string[], network?: AptosNetwork): AptosNode;
  /** From here on, of every answer of endpoint a. */
  alter(alteration: Alteration): void;
  fault(endpoint: string, method: string, mode: string): Promise<void>;
  lag(endpoint: string, lagMs: number): Promise<void>;
  /** While it is held, no transaction leaves the mempool. */
  hold(held: boolean): Promise<void>;
  /** How often an endpoint was asked, by method. */
  calls(endpoint: string): Promise<Record<string, number>>;
}

/** A development chain behind HTTP, and the service's node over two of its endpoints. */
export async function startNodeFixture(): Promise<NodeFixture> {
  const chain = await startAptosChain();
  const clock = { aheadMs: 0 };
  const serviceClock = { nowMs: () => Date.now() + chain.clock.aheadMs + clock.aheadMs };
  let alteration: Alteration | null = null;
  const baseOf = (endpoint: string) => `${chain.url}/aptos/${endpoint}/v1`;
  const nodeOf = (endpoints: readonly string[], network: AptosNetwork = "APTOS_LOCALNET") =>
    createAptosNode({
      network,
      urls: endpoints.map(baseOf),
      memory: new EndpointMemory(serviceClock),
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        const url = String(input);
        return alteration === null || !url.startsWith(baseOf("a"))
          ? response
          : alteration(response, url.slice(baseOf("a").length));
      },
    });
  async function control(path: string, body: unknown): Promise<void> {
    const answer = await chain.control("POST", path, body);
    if (!answer.ok) throw new Error(await answer.text());
  }
  return {
    chain,
    clock,
    node: nodeOf(["a", "b"]),
    nodeOf,
    alter: (one) => {
      alteration = one;
    },
    fault: (endpoint, method, mode) => control("/control/fault", { endpoint, method, mode, times: 1 }),
    lag: (endpoint, lagMs) => control("/control/lag", { endpoint, lagMs }),
    hold: (held) => control("/control/consensus", { held }),
    calls: async (endpoint) => (await chain.control("GET", `/control/calls?endpoint=${endpoint}`)).json(),
  };
}

/** An answer with the same status and headers and something else in its JSON. */
export async function withJson(response: Response, change: (json: unknown) => unknown): Promise<Response> {
  return Response.json(change(await response.json()), { status: response.status, headers: response.headers });
}

export interface Signed {
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly sender: string;
  readonly feePayer: string;
}

export const MAX_GAS_UNITS = 20_000;
export const GAS_PRICE_OCTAS = 150;

/** A call of an account that another one pays for. */
export async function sponsoredCall(
  { aptos }: AptosTestChain,
  sender: Account,
  payer: Account,
  call: { readonly function: `${string}::${string}::${string}`; readonly functionArguments: (string | bigint)[] },
  options: {
    readonly gasUnitPrice?: number;
    readonly accountSequenceNumber?: bigint;
    /** In seconds. */
    readonly expireTimestamp?: number;
  } = {},
): Promise<Signed> {
  const transaction = await aptos.transaction.build.simple({
    sender: sender.accountAddress,
    withFeePayer: true,
    data: call,
    options: { maxGasAmount: MAX_GAS_UNITS, gasUnitPrice: GAS_PRICE_OCTAS, ...options },
  });
  transaction.feePayerAddress = payer.accountAddress;
  const signed = {
    transaction,
    senderAuthenticator: aptos.transaction.sign({ signer: sender, transaction }),
    feePayerAuthenticator: aptos.transaction.signAsFeePayer({ signer: payer, transaction }),
  };
  return {
    bytes: generateSignedTransaction(signed),
    hash: generateUserTransactionHash(signed),
    sender: sender.accountAddress.toStringLong(),
    feePayer: payer.accountAddress.toStringLong(),
  };
}

export async function sponsoredTransfer(
  chain: AptosTestChain,
  { octas = 1_000n, ...options }: { octas?: bigint; gasUnitPrice?: number; expireTimestamp?: number } = {},
): Promise<Signed> {
  const [sender, payer] = await Promise.all([chain.account(APT), chain.account(10n * APT)]);
  const functionArguments = [`0x${"5".repeat(64)}`, octas];
  return sponsoredCall(chain, sender, payer, { function: "0x1::aptos_account::transfer", functionArguments }, options);
}

/** Submits through an endpoint that no test breaks, and lets it be committed. */
export async function commitSigned({ chain, nodeOf }: NodeFixture, { bytes, hash }: Signed): Promise<void> {
  const outcome = await nodeOf(["default"]).submit(bytes, hash);
  expect(outcome).toMatchObject({ kind: "accepted" });
  chain.clock.aheadMs += BLOCK_MS;
}

/** Returns what a sponsored transaction is before anybody signs it. */
export function rawOf({ bytes }: Signed): Uint8Array {
  const decoded = decodeSignedTransaction(bytes);
  if (!decoded.ok) throw new Error(decoded.error.details);
  return encodeRawTransaction(decoded.value.rawTransaction);
}
