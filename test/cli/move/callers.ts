import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { expect } from "vitest";
import * as z from "zod";
import { rpcCall, SUI_GAS_PATH } from "../../../shared/cli/client/rpc.ts";
import { mintKind } from "../../support/sui-transactions.ts";

const BUDGET_MIST = 5_000_000;
const CALLERS = 8;
/** While it waits for answers. */
const LOOK_MS = 100;
/** A project is closed for half a minute, and each refusal costs CPU. */
const RETRY_MS = 500;

export const sponsoredSchema = z.object({ txBytes: z.string(), txDigest: z.string(), signature: z.string() });
export type Sponsored = z.output<typeof sponsoredSchema>;
const refusalSchema = z.object({
  error: z.object({ code: z.int(), data: z.looseObject({ reason: z.string().optional(), details: z.string() }) }),
});

const resultSchema = z.object({ result: z.unknown() });

/** What a caller calls with. */
export interface CallersAccess {
  readonly user: Ed25519Keypair;
  readonly gasKey: string;
  readonly walletKey: string;
  readonly secret: string;
  readonly walletIds: readonly string[];
  readonly addresses: readonly string[];
}

/**
 * Callers that sponsor, execute, ask for a status, read wallets and sign. They move between two services by the URL
 * alone: one that is refused asks the other one.
 */
export class Callers {
  /** Digests by what the callers know of them. */
  readonly executed: string[] = [];
  readonly live: Sponsored[] = [];
  /** The longest time in which one caller was refused, ms. It counts from the first refusal to the next answer. */
  refusedMs = 0;
  answered = 0;
  readonly #access: CallersAccess;
  readonly #urls: readonly [string, string];
  readonly #ends = new AbortController();
  readonly #running: Promise<unknown>;

  /** @param urls the service that they begin at, and the other one. */
  constructor(access: CallersAccess, urls: readonly [string, string]) {
    this.#access = access;
    this.#urls = urls;
    this.#running = Promise.all(Array.from({ length: CALLERS }, (_, at) => this.#run(at)));
    this.#running.catch(() => this.#ends.abort());
  }

  /** Waits until they have got so many more answers. Rejects if a caller has failed. */
  async answers(count: number): Promise<void> {
    const enough = this.answered + count;
    while (this.answered < enough) {
      if (this.#ends.signal.aborted) await this.#running;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async stop(): Promise<void> {
    this.#ends.abort();
    await this.#running;
  }

  async #run(at: number): Promise<void> {
    const { user, walletIds, addresses, secret } = this.#access;
    const caller = new Caller(this.#access, this.#urls, this.#ends.signal, (refusedMs) => {
      this.answered += 1;
      this.refusedMs = Math.max(this.refusedMs, refusedMs);
    });
    for (let count = at; !this.#ends.signal.aborted; count += 1) {
      const kind = toBase64(await mintKind(`badge ${count} of ${at}`));
      const params = [kind, user.toSuiAddress(), BUDGET_MIST];
      const made = await caller.gas("gas_sponsorTransactionBlock", params, sponsoredSchema);
      if (made === null) continue;
      await caller.gas("gas_getSponsoredTransactionBlockStatus", [made.txDigest], z.literal("IN_FLIGHT"));
      const { signature } = await user.signTransaction(fromBase64(made.txBytes));
      const isDone =
        count % 4 !== 3 && (await caller.gas("gas_executeTransactionBlock", [made.txDigest, signature], z.unknown()));
      if (isDone) this.executed.push(made.txDigest);
      else this.live.push(made);
      const wallet = count % walletIds.length;
      await caller.wallet("svc_wal_getWallet", [walletIds[wallet]], z.literal(addresses[wallet] ?? ""));
      const session = await caller.wallet("svc_key_createSession", [secret], z.string());
      if (session !== null)
        await caller.wallet(
          "svc_wal_signPersonalMessage",
          [walletIds[wallet], session, toBase64(new Uint8Array([count % 256]))],
          z.string(),
        );
    }
  }
}

/** One caller, who makes one call at a time. */
class Caller {
  readonly #access: CallersAccess;
  readonly #ends: AbortSignal;
  readonly #answered: (refusedMs: number) => void;
  readonly #urls: readonly [string, string];
  #url: string;
  #refusedSinceMs: number | null = null;

  constructor(
    access: CallersAccess,
    urls: readonly [string, string],
    ends: AbortSignal,
    answered: (refusedMs: number) => void,
  ) {
    this.#access = access;
    this.#urls = urls;
    this.#url = urls[0];
    this.#ends = ends;
    this.#answered = answered;
  }

  gas<Schema extends z.ZodType>(method: string, params: readonly unknown[], schema: Schema) {
    return this.#call(SUI_GAS_PATH, this.#access.gasKey, method, params, schema);
  }

  wallet<Schema extends z.ZodType>(method: string, params: readonly unknown[], schema: Schema) {
    return this.#call("/wallet/v1", this.#access.walletKey, method, params, schema);
  }

  /** @returns the result. Null if it is not known whether a call that may not be repeated has happened. */
  async #call<Schema extends z.ZodType>(
    path: string,
    key: string,
    method: string,
    params: readonly unknown[],
    schema: Schema,
  ): Promise<z.output<Schema> | null> {
    while (!this.#ends.aborted) {
      const answer = await rpcCall(`${this.#url}${path}`, key, method, params).catch(() => null);
      const refusal = refusalSchema.safeParse(answer?.body);
      if (answer !== null && !refusal.success) {
        this.#answered(this.#refusedSinceMs === null ? 0 : Date.now() - this.#refusedSinceMs);
        this.#refusedSinceMs = null;
        const parsed = schema.safeParse(resultSchema.parse(answer.body).result);
        if (!parsed.success) throw new Error(`${method}: ${JSON.stringify(answer.body)}`);
        return parsed.data;
      }
      // A service was killed. The call may have been served.
      if (!refusal.success) {
        await this.#pause();
        return null;
      }
      const { code, data } = refusal.data.error;
      // A session ends with the move.
      if (data.details.includes("Bad session token")) return null;
      // The service to which the project goes does not know the key until its frame has arrived.
      expect([-32016, -32017, -32001], `${method}: ${JSON.stringify(answer?.body)}`).toContain(code);
      if (code === -32017) return null;
      if (data.reason !== "project_moved" && code !== -32001) {
        await this.#pause();
        continue;
      }
      this.#refusedSinceMs ??= Date.now();
      this.#url = this.#url === this.#urls[0] ? this.#urls[1] : this.#urls[0];
      await this.#pause();
    }
    return null;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
