import { done, type Outcome, refuse } from "../../errors.ts";
import type { AptosNetwork } from "../../networks.ts";
import { parseAddress } from "./address.ts";
import { fixedChainId } from "./chain-id.ts";
import { entryCallPayload, nestsTooDeeply } from "./entry-call.ts";
import type { AptosNode } from "./node.ts";
import { encodeRawTransaction } from "./raw-transaction.ts";
import { isIdentifier } from "./type-tag.ts";

/** An unsigned call of an entry function, as nodes take it in JSON. Its fields have the names of the nodes' API. */
export interface JsonTransaction {
  /** In full length. */
  readonly sender: string;
  readonly sequence_number: bigint;
  readonly max_gas_amount: bigint;
  /** Octas. */
  readonly gas_unit_price: bigint;
  readonly expiration_timestamp_secs: bigint;
  readonly payload: {
    readonly function: string;
    readonly type_arguments: readonly string[];
    readonly arguments: readonly unknown[];
  };
}

/**
 * Encodes a transaction as a node of its network encodes it. A node describes the function, and on devnet the chain.
 *
 * @returns the BCS of the raw transaction. Refuses with `bad_params`, naming the field, and with `node_unavailable`.
 */
export async function encodeJsonTransaction(
  { payload, ...transaction }: JsonTransaction,
  node: Pick<AptosNode, "functionAbi" | "ledger">,
  network: AptosNetwork,
): Promise<Outcome<Uint8Array>> {
  const [written = "", module = "", name = "", ...others] = payload.function.split("::");
  const address = parseAddress(written);
  if (address === null || others.length > 0 || !isIdentifier(module) || !isIdentifier(name))
    return refuse("bad_params", "payload.function: must be 0x…::module::function");
  if (payload.arguments.some((argument) => nestsTooDeeply(argument)))
    return refuse("bad_params", "payload.arguments: an argument is nested too deeply");
  const [abi, chainId] = await Promise.all([node.functionAbi(address, module, name), chainIdOf(node, network)]);
  if (!abi.ok) return abi;
  if (!chainId.ok) return chainId;
  if (abi.value === null)
    return refuse("bad_params", `payload.function: the chain has no ${payload.function}: check its parts`);
  const call = {
    function: payload.function,
    typeArguments: payload.type_arguments,
    arguments: payload.arguments,
  };
  const built = entryCallPayload(call, abi.value);
  if (!built.ok) return refuse(built.error.reason, `payload.${built.error.details}`);
  return done(
    encodeRawTransaction({
      sender: transaction.sender,
      sequenceNumber: transaction.sequence_number,
      payload: built.value,
      maxGasAmount: transaction.max_gas_amount,
      gasUnitPriceOctas: transaction.gas_unit_price,
      expirationTimestampSeconds: transaction.expiration_timestamp_secs,
      chainId: chainId.value,
    }),
  );
}

async function chainIdOf(node: Pick<AptosNode, "ledger">, network: AptosNetwork): Promise<Outcome<number>> {
  const fixed = fixedChainId(network);
  if (fixed !== null) return done(fixed);
  const ledger = await node.ledger();
  return ledger.ok ? done(ledger.value.chain) : ledger;
}
