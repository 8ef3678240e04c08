import { bcs } from "@mysten/sui/bcs";
import { fromBase64 } from "@mysten/sui/utils";
import { toBase64 } from "../../api/base64.ts";
import type {
  JsonRpcArgument,
  JsonRpcCommand,
  JsonRpcInput,
  SuiTransactionBlock,
} from "../../api/sui-transaction-block.ts";

type TransactionData = ReturnType<typeof bcs.TransactionData.parse>["V1"];
type Programmable = NonNullable<TransactionData["kind"]["ProgrammableTransaction"]>;
type ParsedInput = Programmable["inputs"][number];
type ParsedCommand = Programmable["commands"][number];
type ParsedArgument = ReturnType<typeof bcs.Argument.parse>;
/** The types of pure inputs that follow from a command alone. */
type PureType = "u64" | "address";

/** Intent scope TransactionData, version V0, app Sui. */
const TRANSACTION_INTENT = { scope: { TransactionData: true }, version: { V0: true }, appId: { Sui: true } } as const;

/**
 * Shows a signed programmable transaction as a full node's JSON-RPC does (sui-json-rpc-types, `SuiTransactionBlock`).
 *
 * A node reads the types of a Move call's pure inputs from the package. This does not ask for packages: it shows
 * their BCS and no type, as a node does if it cannot resolve the package.
 *
 * @param transactionBytes BCS of `TransactionData::V1`, which this service has built.
 * @param signatures in the order in which they were submitted.
 * @returns null for a transaction that the SDK's codec cannot read.
 */
export function transactionBlock(
  transactionBytes: Uint8Array,
  signatures: readonly string[],
): SuiTransactionBlock | null {
  const data = parseData(transactionBytes);
  const programmable = data?.kind.ProgrammableTransaction;
  if (data === null || programmable === undefined) return null;
  const { inputs, commands } = programmable;
  const types = pureTypes(commands);
  const { payment, owner, price, budget } = data.gasData;
  return {
    data: {
      messageVersion: "v1",
      transaction: {
        kind: "ProgrammableTransaction",
        inputs: inputs.map((input, index) => shownInput(input, types.get(index) ?? null)),
        transactions: commands.map(shownCommand),
      },
      sender: data.sender,
      gasData: {
        payment: payment.map((coin) => ({ ...coin, version: Number(coin.version) })),
        owner,
        price,
        budget,
      },
    },
    txSignatures: [...signatures],
  };
}

/** Encodes BCS of `SenderSignedData` (sui-types, `transaction.rs`) as base64, which JSON-RPC calls the raw transaction. */
export function rawTransaction(transactionBytes: Uint8Array, signatures: readonly string[]): string | null {
  const value = parseData(transactionBytes);
  if (value === null) return null;
  const intentMessage = { intent: TRANSACTION_INTENT, value: { V1: value } };
  const signed = [{ intentMessage, txSignatures: [...signatures] }];
  return toBase64(bcs.SenderSignedData.serialize(signed).toBytes());
}

/** The transaction has been executed by now: an answer without its input is better than none. */
function parseData(transactionBytes: Uint8Array): TransactionData | null {
  try {
    return bcs.TransactionData.parse(transactionBytes).V1;
  } catch {
    return null;
  }
}

/** As `resolve_input_type` finds them: the last command that uses an input decides. */
function pureTypes(commands: readonly ParsedCommand[]): ReadonlyMap<number, PureType> {
  const types = new Map<number, PureType>();
  const learn = (argument: ParsedArgument, type: PureType) => {
    if (argument.$kind === "Input") types.set(argument.Input, type);
  };
  for (const command of commands) {
    for (const amount of command.SplitCoins?.amounts ?? []) learn(amount, "u64");
    if (command.TransferObjects) learn(command.TransferObjects.address, "address");
  }
  return types;
}

function shownInput(input: ParsedInput, type: PureType | null): JsonRpcInput {
  switch (input.$kind) {
    case "Pure":
      return shownPure(fromBase64(input.Pure.bytes), type);
    case "Object":
      return shownObject(input.Object);
    case "FundsWithdrawal": {
      const { reservation, typeArg, withdrawFrom } = input.FundsWithdrawal;
      return {
        type: "fundsWithdrawal",
        reservation: { maxAmountU64: reservation.MaxAmountU64 },
        typeArg: { balance: shownType(typeArg.Balance) },
        withdrawFrom: withdrawFrom.$kind === "Sender" ? "sender" : "sponsor",
      };
    }
  }
}

/** What does not have its type's length stays BCS, as there. */
function shownPure(bytes: Uint8Array, type: PureType | null): JsonRpcInput {
  if (type === "u64" && bytes.length === 8) return { type: "pure", valueType: type, value: bcs.u64().parse(bytes) };
  if (type === "address" && bytes.length === 32)
    return { type: "pure", valueType: type, value: bcs.Address.parse(bytes) };
  return { type: "pure", valueType: type, value: [...bytes] };
}

function shownObject(object: NonNullable<ParsedInput["Object"]>): JsonRpcInput {
  switch (object.$kind) {
    case "ImmOrOwnedObject":
      return { type: "object", objectType: "immOrOwnedObject", ...object.ImmOrOwnedObject };
    case "SharedObject":
      return { type: "object", objectType: "sharedObject", ...object.SharedObject };
    case "Receiving":
      return { type: "object", objectType: "receiving", ...object.Receiving };
  }
}

function shownCommand(command: ParsedCommand): JsonRpcCommand {
  switch (command.$kind) {
    case "MoveCall": {
      const { package: id, module, function: name, typeArguments, arguments: given } = command.MoveCall;
      return {
        MoveCall: {
          package: id,
          module,
          function: name,
          ...(typeArguments.length > 0 && { type_arguments: typeArguments.map(shownType) }),
          ...(given.length > 0 && { arguments: given.map(shownArgument) }),
        },
      };
    }
    case "TransferObjects": {
      const { objects, address } = command.TransferObjects;
      return { TransferObjects: [objects.map(shownArgument), shownArgument(address)] };
    }
    case "SplitCoins": {
      const { coin, amounts } = command.SplitCoins;
      return { SplitCoins: [shownArgument(coin), amounts.map(shownArgument)] };
    }
    case "MergeCoins": {
      const { destination, sources } = command.MergeCoins;
      return { MergeCoins: [shownArgument(destination), sources.map(shownArgument)] };
    }
    case "Publish":
      return { Publish: command.Publish.dependencies };
    case "MakeMoveVec": {
      const { type, elements } = command.MakeMoveVec;
      return { MakeMoveVec: [type === null ? null : shownType(type), elements.map(shownArgument)] };
    }
    case "Upgrade": {
      const { dependencies, package: id, ticket } = command.Upgrade;
      return { Upgrade: [dependencies, id, shownArgument(ticket)] };
    }
  }
}

function shownArgument(argument: ParsedArgument): JsonRpcArgument {
  switch (argument.$kind) {
    case "GasCoin":
      return "GasCoin";
    case "Input":
      return { Input: argument.Input };
    case "Result":
      return { Result: argument.Result };
    case "NestedResult":
      return { NestedResult: argument.NestedResult };
  }
}

/** Here every address is written without leading zeros (sui-types, `Display for StructInput`). */
function shownType(type: string): string {
  return type.replace(/\b0x0*([0-9a-f]+)(?=::)/g, "0x$1").replace(/,\s*/g, ", ");
}
