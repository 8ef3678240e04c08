import type { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { GAS } from "./gas.ts";
import { coinBalance, consensusStart } from "./objects.ts";
import { commandInput, expirationInput, fundsWithdrawal } from "./resolve-commands.ts";
import { resolveLiteral } from "./resolve-literal.ts";
import { type InputUse, isMutable, isReceived, usesOf } from "./resolve-uses.ts";
import { GrpcStatus, invalidArgument } from "./status.ts";
import type { ObjectStore } from "./store.ts";
import { type DecodedTransaction, encodeTransaction, parseAddress, type TransactionDataInput } from "./transaction.ts";

type ProgrammableInput = Extract<
  TransactionDataInput["kind"],
  { ProgrammableTransaction: unknown }
>["ProgrammableTransaction"];
type CallArgInput = typeof bcs.CallArg.$inferInput;

/** A transaction whose missing parts were filled in, and what the caller had left open. */
export interface ResolvedTransaction {
  readonly data: TransactionDataInput;
  readonly budgetWasGiven: boolean;
}

/**
 * Completes a transaction that is given as protobuf: object versions and digests, mutability of shared
 * objects, gas price, owner and budget (sui-rpc-api: simulate/resolve). Gas payment is left as it is.
 */
export function resolveTransaction(
  store: ObjectStore,
  transaction: GrpcTypes.Transaction,
  referenceGasPrice: bigint,
): ResolvedTransaction {
  const kind = transaction.kind?.data;
  if (kind?.oneofKind !== "programmableTransaction") {
    throw invalidArgument("only programmable transactions can be resolved");
  }
  const { inputs, commands } = kind.programmableTransaction;
  const sender = parseAddress("sender", transaction.sender);
  const payment = (transaction.gasPayment?.objects ?? []).map((reference) => ownedReference(store, reference));
  const programmable: ProgrammableInput = {
    inputs: inputs.map((input, index) => callArg(store, input, () => usesOf(commands, index))),
    commands: commands.map(commandInput),
  };
  const data: TransactionDataInput = {
    kind: { ProgrammableTransaction: programmable },
    sender,
    gasData: {
      payment,
      owner: transaction.gasPayment?.owner ? parseAddress("gas owner", transaction.gasPayment.owner) : sender,
      price: transaction.gasPayment?.price ?? referenceGasPrice,
      budget: transaction.gasPayment?.budget ?? defaultBudget(store, payment),
    },
    expiration: expirationInput(transaction.expiration),
  };
  return { data, budgetWasGiven: transaction.gasPayment?.budget !== undefined };
}

/** Encodes a resolved transaction; what the caller sent may still not be encodable, such as an index beyond u16. */
export function encodeResolved(data: TransactionDataInput): DecodedTransaction {
  try {
    return encodeTransaction(data);
  } catch (error) {
    if (error instanceof GrpcStatus) throw error;
    throw invalidArgument(`invalid transaction: ${error instanceof Error ? error.message : "not encodable"}`);
  }
}

/** All the payment's coins, but no more than a transaction may spend. */
function defaultBudget(store: ObjectStore, payment: readonly { objectId: string }[]): bigint {
  if (payment.length === 0) return GAS.maxBudgetMist;
  let total = 0n;
  for (const { objectId } of payment) {
    const coin = store.liveObject(objectId);
    if (coin !== undefined) total += coinBalance(coin.contents);
  }
  return total < GAS.maxBudgetMist ? total : GAS.maxBudgetMist;
}

function ownedReference(store: ObjectStore, { objectId, version, digest }: GrpcTypes.ObjectReference) {
  const id = parseAddress("object_id", objectId);
  if (version !== undefined && digest !== undefined) return { objectId: id, version, digest };
  const object = requireObject(store, id);
  return { objectId: id, version: version ?? object.version, digest: digest ?? object.digest };
}

function callArg(store: ObjectStore, input: GrpcTypes.Input, uses: () => readonly InputUse[]): CallArgInput {
  const { Input_InputKind: Kind } = GrpcTypes;
  if (input.fundsWithdrawal !== undefined) return { FundsWithdrawal: fundsWithdrawal(input.fundsWithdrawal) };
  if (input.literal !== undefined) return { Pure: { bytes: resolveLiteral(input.literal, uses()) } };
  if (input.pure !== undefined) return { Pure: { bytes: input.pure } };
  const objectId = parseAddress("object_id", input.objectId);
  if (input.kind === Kind.RECEIVING) return { Object: { Receiving: ownedReference(store, input) } };
  if (input.kind === Kind.IMMUTABLE_OR_OWNED) return { Object: { ImmOrOwnedObject: ownedReference(store, input) } };
  const start = consensusStart(requireObject(store, objectId).owner);
  if (start === undefined) {
    const reference = ownedReference(store, input);
    return { Object: uses().some(isReceived) ? { Receiving: reference } : { ImmOrOwnedObject: reference } };
  }
  const initialSharedVersion = input.kind === Kind.SHARED && input.version ? input.version : start;
  const mutable = input.mutable ?? uses().some(isMutable);
  return { Object: { SharedObject: { objectId, initialSharedVersion, mutable } } };
}

function requireObject(store: ObjectStore, id: string) {
  const object = store.liveObject(id);
  if (object === undefined) throw invalidArgument(`Object ${id} not found`);
  return object;
}
