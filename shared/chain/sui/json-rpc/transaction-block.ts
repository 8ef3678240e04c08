import { bcs } from "@mysten/sui/bcs";
import { fromBase64 } from "@mysten/sui/utils";
import { toBase64 } from "../../../crypto/base64.ts";
import type { MoveFunctionName, Parameters } from "../function-signatures.ts";
import { ADDRESS, filledIn, type PureType, pureType, typeText, U64 } from "../pure-types.ts";
import { shownPureValue } from "../pure-values.ts";
import type { JsonRpcArgument, JsonRpcCommand, JsonRpcInput, SuiTransactionBlock } from "./block-schema.ts";

type TransactionData = ReturnType<typeof bcs.TransactionData.parse>["V1"];
type Programmable = NonNullable<TransactionData["kind"]["ProgrammableTransaction"]>;
type ParsedInput = Programmable["inputs"][number];
type ParsedCommand = Programmable["commands"][number];
type ParsedArgument = ReturnType<typeof bcs.Argument.parse>;
type ParsedCall = NonNullable<ParsedCommand["MoveCall"]>;
/** Returns the parameters of the called function. Null if they are not known. */
export type ParametersOf = (call: MoveFunctionName) => Parameters | null;

/** Intent scope TransactionData, version V0, app Sui. */
const TRANSACTION_INTENT = { scope: { TransactionData: true }, version: { V0: true }, appId: { Sui: true } } as const;

/**
 * Shows a signed programmable transaction as a full node's JSON-RPC does (sui-json-rpc-types, `SuiTransactionBlock`).
 *
 * The commands that use a pure input determine its type. For a Move call, the function's signature does. If a function
 * is not known, the inputs of its calls are shown as BCS without a type.
 *
 * @param transactionBytes BCS of `TransactionData::V1`, which this service has built.
 * @param signatures in the order in which they were submitted.
 * @param parametersOf absent if no function is known.
 * @returns null for a transaction that the SDK's codec cannot read.
 */
export function transactionBlock(
  transactionBytes: Uint8Array,
  signatures: readonly string[],
  parametersOf: ParametersOf = () => null,
): SuiTransactionBlock | null {
  const data = parseData(transactionBytes);
  const programmable = data?.kind.ProgrammableTransaction;
  if (data === null || programmable === undefined) return null;
  const { inputs, commands } = programmable;
  const types = pureTypes(commands, parametersOf);
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

/**
 * Encodes BCS of `SenderSignedData` (sui-types, `transaction.rs`) as base64, which JSON-RPC calls the raw transaction.
 */
export function rawTransaction(transactionBytes: Uint8Array, signatures: readonly string[]): string | null {
  const value = parseData(transactionBytes);
  if (value === null) return null;
  const intentMessage = { intent: TRANSACTION_INTENT, value: { V1: value } };
  const signed = [{ intentMessage, txSignatures: [...signatures] }];
  return toBase64(bcs.SenderSignedData.serialize(signed).toBytes());
}

/** The transaction has already been executed. An answer without its input is better than no answer. */
function parseData(transactionBytes: Uint8Array): TransactionData | null {
  try {
    return bcs.TransactionData.parse(transactionBytes).V1;
  } catch {
    return null;
  }
}

/** Lists the functions that a transaction calls with inputs. Empty if the SDK's codec cannot read it. */
export function functionsCalled(transactionBytes: Uint8Array): readonly MoveFunctionName[] {
  const { inputs = [], commands = [] } = parseData(transactionBytes)?.kind.ProgrammableTransaction ?? {};
  const isPure = (argument: ParsedArgument) => argument.$kind === "Input" && inputs[argument.Input]?.$kind === "Pure";
  return commands.flatMap(({ MoveCall: call }) => (call?.arguments.some(isPure) ? [call] : []));
}

/**
 * Finds types as a node does (sui-package-resolver, `pure_input_layouts`), with two differences. An unknown function
 * leaves the types of other inputs. The last command that uses an input decides (`resolve_input_type`).
 */
function pureTypes(commands: readonly ParsedCommand[], parametersOf: ParametersOf): ReadonlyMap<number, PureType> {
  const types = new Map<number, PureType>();
  const learn = (argument: ParsedArgument, type: PureType | null) => {
    if (argument.$kind === "Input" && type !== null) types.set(argument.Input, type);
  };
  for (const { SplitCoins: split, TransferObjects: transfer, MakeMoveVec: vector, MoveCall: call } of commands) {
    for (const amount of split?.amounts ?? []) learn(amount, U64);
    if (transfer) learn(transfer.address, ADDRESS);
    const elementType = vector?.type ? pureType(vector.type) : null;
    for (const element of vector?.elements ?? []) learn(element, elementType);
    if (call) learnFromCall(call, parametersOf(call) ?? [], learn);
  }
  return types;
}

function learnFromCall(
  { typeArguments, arguments: given }: ParsedCall,
  parameters: Parameters,
  learn: (argument: ParsedArgument, type: PureType | null) => void,
): void {
  for (const [index, argument] of given.entries()) {
    const type = parameters[index] ?? null;
    learn(argument, type && filledIn(type, typeArguments));
  }
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
        withdrawFrom: shownSources[withdrawFrom.$kind],
      };
    }
  }
}

const shownSources = { Sender: "sender", Sponsor: "sponsor", SenderAllowance: "senderAllowance" } as const;

function shownPure(bytes: Uint8Array, type: PureType | null): JsonRpcInput {
  return { type: "pure", valueType: type && typeText(type), value: shownPureValue(bytes, type) };
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

/** Writes every address without leading zeros (sui-types, `Display for StructInput`). */
function shownType(type: string): string {
  return type.replace(/\b0x0*([0-9a-f]+)(?=::)/g, "0x$1").replace(/,\s*/g, ", ");
}
