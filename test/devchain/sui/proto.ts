import { GrpcTypes } from "@mysten/sui/grpc";
import { fromBase64 } from "@mysten/sui/utils";
import { renderJson } from "./json.ts";
import { type Mask, submask } from "./masks.ts";
import { type ChainObject, coinBalance, coinTypeOf, objectBcs, ownerProto } from "./objects.ts";
import type { Argument, CallArg, Command, DecodedTransaction, ObjectRef, TransactionData } from "./transaction.ts";

const TRANSACTION_VERSION = 1;

export function timestampProto(ms: number) {
  return { seconds: BigInt(Math.floor(ms / 1_000)), nanos: (ms % 1_000) * 1_000_000 };
}

/** `sui.rpc.v2.Object`; what is costly to render is rendered only when the mask asks for it. */
export function objectProto(object: ChainObject, mask: Mask): GrpcTypes.Object {
  const json = submask(mask, "json") && renderJson(object.type, object.contents);
  return GrpcTypes.Object.create({
    objectId: object.id,
    version: object.version,
    digest: object.digest,
    owner: ownerProto(object.owner),
    objectType: object.type,
    hasPublicTransfer: object.hasPublicTransfer,
    contents: { name: object.type, value: object.contents },
    previousTransaction: object.previousTransaction,
    storageRebate: object.storageRebate,
    ...(submask(mask, "bcs") && { bcs: { name: "Object", value: objectBcs(object) } }),
    ...(json && { json }),
    ...(coinTypeOf(object.type) !== undefined && { balance: coinBalance(object.contents) }),
  });
}

/** `sui.rpc.v2.Transaction` of a programmable transaction. */
export function transactionProto({ bytes, digest, data, programmable }: DecodedTransaction): GrpcTypes.Transaction {
  return GrpcTypes.Transaction.create({
    bcs: { name: "TransactionData", value: bytes },
    digest,
    version: TRANSACTION_VERSION,
    kind: {
      kind: GrpcTypes.TransactionKind_Kind.PROGRAMMABLE_TRANSACTION,
      data: {
        oneofKind: "programmableTransaction",
        programmableTransaction: {
          inputs: programmable.inputs.map(inputProto),
          commands: programmable.commands.map(commandProto),
        },
      },
    },
    sender: data.sender,
    gasPayment: {
      objects: data.gasData.payment.map(referenceProto),
      owner: data.gasData.owner,
      price: BigInt(data.gasData.price),
      budget: BigInt(data.gasData.budget),
    },
    expiration: expirationProto(data.expiration),
  });
}

export function argumentProto(argument: Argument): GrpcTypes.Argument {
  const { Argument_ArgumentKind: Kind } = GrpcTypes;
  switch (argument.$kind) {
    case "GasCoin":
      return { kind: Kind.GAS };
    case "Input":
      return { kind: Kind.INPUT, input: argument.Input };
    case "Result":
      return { kind: Kind.RESULT, result: argument.Result };
    case "NestedResult": {
      const [result, subresult] = argument.NestedResult;
      return { kind: Kind.RESULT, result, subresult };
    }
  }
}

function referenceProto({ objectId, version, digest }: ObjectRef) {
  return { objectId, version: BigInt(version), digest };
}

function inputProto(input: CallArg): GrpcTypes.Input {
  const { Input_InputKind: Kind } = GrpcTypes;
  switch (input.$kind) {
    case "Pure":
      return { kind: Kind.PURE, pure: fromBase64(input.Pure.bytes) };
    case "FundsWithdrawal":
      return { kind: Kind.FUNDS_WITHDRAWAL, fundsWithdrawal: withdrawalProto(input.FundsWithdrawal) };
    case "Object":
      return objectInputProto(input.Object);
  }
}

function objectInputProto(input: NonNullable<CallArg["Object"]>): GrpcTypes.Input {
  const { Input_InputKind: Kind } = GrpcTypes;
  switch (input.$kind) {
    case "ImmOrOwnedObject":
      return { kind: Kind.IMMUTABLE_OR_OWNED, ...referenceProto(input.ImmOrOwnedObject) };
    case "Receiving":
      return { kind: Kind.RECEIVING, ...referenceProto(input.Receiving) };
    case "SharedObject": {
      const { objectId, initialSharedVersion, mutable } = input.SharedObject;
      return { kind: Kind.SHARED, objectId, version: BigInt(initialSharedVersion), mutable };
    }
  }
}

function withdrawalProto(withdrawal: NonNullable<CallArg["FundsWithdrawal"]>): GrpcTypes.FundsWithdrawal {
  const { FundsWithdrawal_Source: Source } = GrpcTypes;
  const amount = BigInt(withdrawal.reservation.MaxAmountU64);
  const coinType = withdrawal.typeArg.Balance;
  switch (withdrawal.withdrawFrom.$kind) {
    case "Sender":
      return { amount, coinType, source: Source.SENDER };
    case "Sponsor":
      return { amount, coinType, source: Source.SPONSOR };
    case "SenderAllowance":
      return { amount, coinType, source: Source.SENDER_ALLOWANCE, ...withdrawal.withdrawFrom.SenderAllowance };
  }
}

function commandProto(command: Command): GrpcTypes.Command {
  return { command: commandOneof(command) };
}

function commandOneof(command: Command): GrpcTypes.Command["command"] {
  switch (command.$kind) {
    case "MoveCall": {
      const { package: id, module, function: name, typeArguments, arguments: given } = command.MoveCall;
      const moveCall = { package: id, module, function: name, typeArguments, arguments: given.map(argumentProto) };
      return { oneofKind: "moveCall", moveCall };
    }
    case "TransferObjects": {
      const { objects, address } = command.TransferObjects;
      const transferObjects = { objects: objects.map(argumentProto), address: argumentProto(address) };
      return { oneofKind: "transferObjects", transferObjects };
    }
    case "SplitCoins": {
      const { coin, amounts } = command.SplitCoins;
      return {
        oneofKind: "splitCoins",
        splitCoins: { coin: argumentProto(coin), amounts: amounts.map(argumentProto) },
      };
    }
    case "MergeCoins": {
      const { destination, sources } = command.MergeCoins;
      const mergeCoins = { coin: argumentProto(destination), coinsToMerge: sources.map(argumentProto) };
      return { oneofKind: "mergeCoins", mergeCoins };
    }
    case "MakeMoveVec": {
      const { type, elements } = command.MakeMoveVec;
      const makeMoveVector = { ...(type !== null && { elementType: type }), elements: elements.map(argumentProto) };
      return { oneofKind: "makeMoveVector", makeMoveVector };
    }
    case "Publish": {
      const { modules, dependencies } = command.Publish;
      const publish = { modules: modules.map((module) => fromBase64(module)), dependencies };
      return { oneofKind: "publish", publish };
    }
    case "Upgrade": {
      const { modules, dependencies, package: id, ticket } = command.Upgrade;
      const upgrade = {
        modules: modules.map((module) => fromBase64(module)),
        dependencies,
        package: id,
        ticket: argumentProto(ticket),
      };
      return { oneofKind: "upgrade", upgrade };
    }
  }
}

function expirationProto(expiration: TransactionData["expiration"]): GrpcTypes.TransactionExpiration {
  const { TransactionExpiration_TransactionExpirationKind: Kind } = GrpcTypes;
  switch (expiration.$kind) {
    case "None":
      return { kind: Kind.NONE };
    case "Epoch":
      return { kind: Kind.EPOCH, epoch: BigInt(expiration.Epoch) };
    case "ValidDuring":
      return { kind: Kind.VALID_DURING, ...windowProto(expiration.ValidDuring) };
    case "Validity": {
      const { allowedProposers: named, ...window } = expiration.Validity;
      const allowedProposers = named && { epoch: BigInt(named.epoch), proposers: named.proposers };
      return { kind: Kind.VALIDITY, ...windowProto(window), ...(allowedProposers && { allowedProposers }) };
    }
  }
}

function windowProto(window: NonNullable<TransactionData["expiration"]["ValidDuring"]>) {
  const { minEpoch, maxEpoch, minTimestamp, maxTimestamp, chain, nonce } = window;
  return {
    ...(minEpoch !== null && { minEpoch: BigInt(minEpoch) }),
    ...(maxEpoch !== null && { epoch: BigInt(maxEpoch) }),
    ...(minTimestamp !== null && { minTimestamp: timestampProto(Number(minTimestamp)) }),
    ...(maxTimestamp !== null && { maxTimestamp: timestampProto(Number(maxTimestamp)) }),
    chain,
    nonce,
  };
}
