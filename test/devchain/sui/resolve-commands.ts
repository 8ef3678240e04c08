import type { bcs } from "@mysten/sui/bcs";
import { GrpcTypes } from "@mysten/sui/grpc";
import { invalidArgument } from "./status.ts";
import { parseAddress, type TransactionDataInput } from "./transaction.ts";

type CommandInput = typeof bcs.Command.$inferInput;
type ArgumentInput = typeof bcs.Argument.$inferInput;
type ExpirationInput = TransactionDataInput["expiration"];

export function fundsWithdrawal({ amount, coinType, source, funder, allowance }: GrpcTypes.FundsWithdrawal) {
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

export function commandInput({ command }: GrpcTypes.Command): CommandInput {
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

export function expirationInput(expiration: GrpcTypes.TransactionExpiration | undefined): ExpirationInput {
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
