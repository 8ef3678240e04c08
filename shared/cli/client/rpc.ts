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

/** Makes a JSON-RPC call with positional parameters. The access key goes into the header `X-Api-Key`. */
export function rpcCall(
  url: string,
  key: string,
  method: string,
  params: readonly unknown[],
  idempotencyKey?: string,
): Promise<HttpAnswer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const named = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  return http(url, { method: "POST", headers: { ...JSON_HEADERS, ...named, "x-api-key": key }, body });
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
