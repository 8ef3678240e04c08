import type { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { toBase64 } from "@mysten/sui/utils";
import { GAS } from "./gas.ts";
import { findFunction } from "./move/functions.ts";
import { coinBalance, consensusStart } from "./objects.ts";
import { GrpcStatus, invalidArgument } from "./status.ts";
import type { ObjectStore } from "./store.ts";
import { type DecodedTransaction, encodeTransaction, parseAddress, type TransactionDataInput } from "./transaction.ts";

type ProgrammableInput = Extract<
  TransactionDataInput["kind"],
  { ProgrammableTransaction: unknown }
>["ProgrammableTransaction"];
type CallArgInput = typeof bcs.CallArg.$inferInput;
type CommandInput = typeof bcs.Command.$inferInput;
type ArgumentInput = typeof bcs.Argument.$inferInput;
type ExpirationInput = TransactionDataInput["expiration"];

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
    inputs: inputs.map((input, index) => callArg(store, input, () => isUsedMutably(commands, index))),
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

function callArg(store: ObjectStore, input: GrpcTypes.Input, usedMutably: () => boolean): CallArgInput {
  const { Input_InputKind: Kind } = GrpcTypes;
  if (input.fundsWithdrawal !== undefined) return { FundsWithdrawal: fundsWithdrawal(input.fundsWithdrawal) };
  if (input.literal !== undefined) throw invalidArgument("literal inputs are not supported by this development chain");
  if (input.pure !== undefined) return { Pure: { bytes: toBase64(input.pure) } };
  const objectId = parseAddress("object_id", input.objectId);
  if (input.kind === Kind.RECEIVING) {
    return { Object: { Receiving: ownedReference(store, input) } };
  }
  if (input.kind === Kind.IMMUTABLE_OR_OWNED) {
    return { Object: { ImmOrOwnedObject: ownedReference(store, input) } };
  }
  const { owner } = requireObject(store, objectId);
  const start = consensusStart(owner);
  if (start === undefined) return { Object: { ImmOrOwnedObject: ownedReference(store, input) } };
  const initialSharedVersion = input.kind === Kind.SHARED && input.version ? input.version : start;
  return { Object: { SharedObject: { objectId, initialSharedVersion, mutable: input.mutable ?? usedMutably() } } };
}

function fundsWithdrawal({ amount, coinType, source, funder, allowance }: GrpcTypes.FundsWithdrawal) {
  const { FundsWithdrawal_Source: Source } = GrpcTypes;
  const common = {
    reservation: { MaxAmountU64: amount ?? 0n },
    typeArg: { Balance: coinType ?? "" },
  };
  switch (source) {
    case Source.SENDER:
    case undefined:
      return { ...common, withdrawFrom: { Sender: true as const } };
    case Source.SPONSOR:
      return { ...common, withdrawFrom: { Sponsor: true as const } };
    case Source.SENDER_ALLOWANCE: {
      const named = { funder: parseAddress("funder", funder), allowance: parseAddress("allowance", allowance) };
      return { ...common, withdrawFrom: { SenderAllowance: named } };
    }
    default:
      throw invalidArgument("a withdrawal without a source");
  }
}

/** A shared object is taken mutably unless every use is by an immutable reference of a Move call. */
function isUsedMutably(commands: readonly GrpcTypes.Command[], input: number): boolean {
  const { Argument_ArgumentKind: Kind } = GrpcTypes;
  const isUse = (argument: GrpcTypes.Argument | undefined) => argument?.kind === Kind.INPUT && argument.input === input;
  return commands.some(({ command }) => {
    if (command.oneofKind !== "moveCall") return protoArguments(command).some(isUse);
    const { package: id, module, function: name } = command.moveCall;
    const shape = findFunction(id ?? "0x0", module ?? "", name ?? "");
    return command.moveCall.arguments.some(
      (argument, position) => isUse(argument) && shape?.parameters[position]?.reference !== "immutable",
    );
  });
}

function protoArguments(command: GrpcTypes.Command["command"]): readonly (GrpcTypes.Argument | undefined)[] {
  switch (command.oneofKind) {
    case "splitCoins":
      return [command.splitCoins.coin, ...command.splitCoins.amounts];
    case "mergeCoins":
      return [command.mergeCoins.coin, ...command.mergeCoins.coinsToMerge];
    case "transferObjects":
      return [...command.transferObjects.objects, command.transferObjects.address];
    case "makeMoveVector":
      return command.makeMoveVector.elements;
    default:
      return [];
  }
}

function requireObject(store: ObjectStore, id: string) {
  const object = store.liveObject(id);
  if (object === undefined) throw invalidArgument(`Object ${id} not found`);
  return object;
}

function commandInput({ command }: GrpcTypes.Command): CommandInput {
  switch (command.oneofKind) {
    case "moveCall": {
      const { package: id, module, function: name, typeArguments, arguments: given } = command.moveCall;
      return {
        MoveCall: {
          package: parseAddress("package", id),
          module: module ?? "",
          function: name ?? "",
          typeArguments,
          arguments: given.map(argumentInput),
        },
      };
    }
    case "transferObjects": {
      const { objects, address } = command.transferObjects;
      return { TransferObjects: { objects: objects.map(argumentInput), address: argumentInput(address) } };
    }
    case "splitCoins": {
      const { coin, amounts } = command.splitCoins;
      return { SplitCoins: { coin: argumentInput(coin), amounts: amounts.map(argumentInput) } };
    }
    case "mergeCoins": {
      const { coin, coinsToMerge } = command.mergeCoins;
      return { MergeCoins: { destination: argumentInput(coin), sources: coinsToMerge.map(argumentInput) } };
    }
    case "makeMoveVector": {
      const { elementType, elements } = command.makeMoveVector;
      return { MakeMoveVec: { type: elementType ?? null, elements: elements.map(argumentInput) } };
    }
    default:
      throw invalidArgument(`command ${command.oneofKind ?? "unknown"} is not supported by this development chain`);
  }
}

function argumentInput(argument: GrpcTypes.Argument | undefined): ArgumentInput {
  const { Argument_ArgumentKind: Kind } = GrpcTypes;
  switch (argument?.kind) {
    case Kind.GAS:
      return { GasCoin: true };
    case Kind.INPUT:
      return { Input: argument.input ?? 0 };
    case Kind.RESULT:
      return argument.subresult === undefined
        ? { Result: argument.result ?? 0 }
        : { NestedResult: [argument.result ?? 0, argument.subresult] };
    default:
      throw invalidArgument("an argument without a kind");
  }
}

function expirationInput(expiration: GrpcTypes.TransactionExpiration | undefined): ExpirationInput {
  const { TransactionExpiration_TransactionExpirationKind: Kind } = GrpcTypes;
  switch (expiration?.kind) {
    case undefined:
    case Kind.TRANSACTION_EXPIRATION_KIND_UNKNOWN:
    case Kind.NONE:
      return { None: true };
    case Kind.EPOCH:
      return { Epoch: String(expiration.epoch ?? 0n) };
    case Kind.VALID_DURING:
      return { ValidDuring: windowInput(expiration) };
    case Kind.VALIDITY: {
      const { allowedProposers: named } = expiration;
      const allowedProposers = named ? { epoch: named.epoch ?? 0n, proposers: named.proposers } : null;
      return { Validity: { ...windowInput(expiration), allowedProposers } };
    }
  }
}

function windowInput(expiration: GrpcTypes.TransactionExpiration) {
  return {
    minEpoch: expiration.minEpoch ?? null,
    maxEpoch: expiration.epoch ?? null,
    minTimestamp: timestampMs(expiration.minTimestamp),
    maxTimestamp: timestampMs(expiration.maxTimestamp),
    chain: expiration.chain ?? "",
    nonce: expiration.nonce ?? 0,
  };
}

function timestampMs(timestamp: GrpcTypes.TransactionExpiration["minTimestamp"]): bigint | null {
  return timestamp === undefined ? null : timestamp.seconds * 1_000n + BigInt(Math.floor(timestamp.nanos / 1_000_000));
}
