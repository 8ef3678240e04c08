import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { expectAnswer, type HttpAnswer, http, JSON_HEADERS } from "./http.ts";

/** The path of the gas interface of Sui. */
export const SUI_GAS_PATH = "/sui/gas/v1";
/** The path of sessions for Aptos wallets. */
export const APTOS_KEY_PATH = "/aptos/key/v1";
/** The path of the wallet interface of Aptos. */
export const APTOS_WALLET_PATH = "/aptos/wallet/v1";
/** The path of the gas interface of Aptos. */
export const APTOS_GAS_PATH = "/aptos/gas/v1";

const MAX_WAIT_MS = 10_000;
/** The refusal of a call that an overloaded service did not begin. */
const overloadedSchema = z.object({
  error: z.object({
    data: z.object({ reason: z.literal("overloaded"), retryAfterMs: z.number().min(0).max(MAX_WAIT_MS).default(0) }),
  }),
});
const TRIES = 3;

/**
 * Makes a JSON-RPC call with positional parameters. The access key goes into the header `X-Api-Key`. A call that an
 * overloaded service did not begin is made again, twice at most.
 */
export async function rpcCall(
  url: string,
  key: string,
  method: string,
  params: readonly unknown[],
  idempotencyKey?: string,
): Promise<HttpAnswer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const named = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  const headers = { ...JSON_HEADERS, ...named, "x-api-key": key };
  for (let tries = 1; ; tries += 1) {
    const answer = await http(url, { method: "POST", headers, body });
    const overloaded = overloadedSchema.safeParse(answer.body);
    if (!overloaded.success || tries === TRIES) return answer;
    await sleep(overloaded.data.error.data.retryAfterMs);
  }
}

const rpcResultSchema = z.object({ result: z.unknown() });

/**
 * Makes a JSON-RPC call that must succeed, and returns its `result`.
 *
 * @throws UnexpectedAnswer for a refusal, and for a result that is not of the schema.
 */
export async function rpcResult<Schema extends z.ZodType>(
  url: string,
  key: string,
  method: string,
  params: readonly unknown[],
  schema: Schema,
  idempotencyKey?: string,
): Promise<z.output<Schema>> {
  const answer = await rpcCall(url, key, method, params, idempotencyKey);
  const { result } = expectAnswer(method, answer, rpcResultSchema);
  return expectAnswer(method, { ...answer, body: result }, schema);
}
