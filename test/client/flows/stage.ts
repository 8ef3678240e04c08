import { bcs } from "@mysten/sui/bcs";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction, TransactionDataBuilder } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { flowsOver } from "../../../shared/client/flows/create.ts";
import type { FlowStorage, Ports } from "../../../shared/client/flows/ports.ts";
import { DEMO_PACKAGE } from "../../devchain/demo.ts";

/** A page with the flows client, and a service that answers as a test says. */

export const FUND = `0x${"f".repeat(64)}`;
const COIN = { objectId: `0x${"c".repeat(64)}`, version: "7", digest: "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S" };
export const EXPIRES_AT_MS = 1_800_000_600_000;

export function mintTransaction(name = "badge"): Transaction {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
  return transaction;
}

type TransactionData = NonNullable<Parameters<typeof bcs.TransactionData.serialize>[0]["V1"]>;

/** `TransactionData` as an honest service makes it, changed by a test. */
export function sponsoredBytes(kind: Uint8Array, sender: string, change: Partial<TransactionData> = {}): Uint8Array {
  return bcs.TransactionData.serialize({
    V1: {
      kind: bcs.TransactionKind.parse(kind),
      sender,
      gasData: { payment: [COIN], owner: FUND, price: "1000", budget: "5000000" },
      expiration: { Epoch: 3 },
      ...change,
    },
  }).toBytes();
}

export function gasData(change: Partial<TransactionData["gasData"]>): TransactionData["gasData"] {
  return { payment: [COIN], owner: FUND, price: "1000", budget: "5000000", ...change };
}

/** The answer of `sponsor` for these bytes. */
export function answerOf(bytes: Uint8Array, more: object = {}) {
  const txDigest = TransactionDataBuilder.getDigestFromBytes(bytes);
  return { txBytes: toBase64(bytes), txDigest, expiresAtMs: EXPIRES_AT_MS, network: "SUI_LOCALNET", ...more };
}

/** A request as the service sees it. */
export interface Seen {
  readonly path: string;
  readonly key: string | null;
  readonly body: Readonly<Record<string, string>>;
}

/** Answers a request. A thrown error is a connection that broke. */
export type Service = (seen: Seen, calls: readonly Seen[]) => Response;

export function json(body: object, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers });
}

export function refusal(status: number, code: string, more: object = {}): Response {
  return json({ error: { code, message: code, retryable: false, ...more } }, status);
}

/** Sponsors each kind as an honest service does, and executes what was signed. */
export const honest: Service = ({ path, body }) => {
  if (path === "/flows/sponsor") {
    const { transactionKind = "", sender = "" } = body;
    return json(answerOf(sponsoredBytes(fromBase64(transactionKind), sender)));
  }
  const digest = TransactionDataBuilder.getDigestFromBytes(fromBase64(body.txBytes ?? ""));
  return json({ digest, status: "success", effects: {} });
};

/** A storage that outlives pages. */
export function memoryStorage(): FlowStorage & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

export interface Stage {
  readonly calls: Seen[];
  readonly ports: Ports;
}

/** A page's means. Its clock stands unless a test moves it. */
export function stage(service: Service, storage: FlowStorage | null = memoryStorage()): Stage {
  const calls: Seen[] = [];
  let keys = 0;
  const ports: Ports = {
    url: "https://app.test",
    token: () => "token",
    user: null,
    storage,
    locks: null,
    nowMs: () => 1_800_000_000_000,
    random: () => 0,
    sleep: async () => {},
    newKey: () => `key-${Math.random()}-${keys++}`,
    async fetch(url, init) {
      const headers = new Headers(init.headers);
      const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
      const seen: Seen = { path: new URL(url).pathname, key: headers.get("idempotency-key"), body };
      calls.push(seen);
      return service(seen, calls);
    },
  };
  return { calls, ports };
}

/** A page with the client. `signed` counts the user's signatures. */
export function page(on: Stage, keypair = new Ed25519Keypair()) {
  const flows = flowsOver(on.ports, { sui: { network: "localnet" }, aptos: { network: "localnet" } });
  const signed: Uint8Array[] = [];
  const signer = {
    toSuiAddress: () => keypair.toSuiAddress(),
    async signTransaction(bytes: Uint8Array) {
      signed.push(bytes);
      return keypair.signTransaction(bytes);
    },
  };
  return { flows, signer, signed, keypair };
}

export const sponsorings = (calls: readonly Seen[]) => calls.filter(({ path }) => path === "/flows/sponsor");
export const executions = (calls: readonly Seen[]) => calls.filter(({ path }) => path === "/flows/execute-sponsored");
