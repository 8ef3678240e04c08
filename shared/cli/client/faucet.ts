import * as z from "zod";
import { APTOS_NETWORK, SUI_NETWORK } from "./admin.ts";
import { expectAnswer, http, JSON_HEADERS } from "./http.ts";
import { untilCommitted } from "./shown.ts";

const faucetAnswerSchema = z.object({ digest: z.string(), objectId: z.string() });

/** Pays SUI from the development chain's faucet, as a new coin or into the address balance. */
export async function payFromFaucet<Schema extends z.ZodType>(
  chainUrl: string,
  payment: { readonly address: string; readonly amountMist: bigint; readonly form: "coin" | "address_balance" },
  schema: Schema,
): Promise<z.output<Schema>> {
  const { address, amountMist, form } = payment;
  const body = JSON.stringify({ network: SUI_NETWORK, address, amount: amountMist.toString(), form });
  const answer = await http(`${chainUrl}/faucet`, { method: "POST", headers: JSON_HEADERS, body });
  return expectAnswer("the faucet", answer, schema);
}

/** Pays a new coin to an address of the development chain. */
export function faucet(chainUrl: string, address: string, amountMist: bigint) {
  return payFromFaucet(chainUrl, { address, amountMist, form: "coin" }, faucetAnswerSchema);
}

/** Pays APT to an address of the development chain, and waits until its node shows it. */
export async function faucetApt(chainUrl: string, address: string, amountOctas: bigint): Promise<void> {
  const body = JSON.stringify({ network: APTOS_NETWORK, address, amount: amountOctas.toString() });
  const answer = await http(`${chainUrl}/faucet`, { method: "POST", headers: JSON_HEADERS, body });
  const { hash } = expectAnswer("the faucet", answer, z.object({ hash: z.string() }));
  await untilCommitted(chainUrl, hash);
}
