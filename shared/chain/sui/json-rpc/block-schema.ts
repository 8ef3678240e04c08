import * as z from "zod";

/**
 * The fields of a Sui JSON-RPC `SuiTransactionBlock` (`@mysten/sui/jsonRpc`) that a sponsored transaction has. u64
 * values are decimal strings. Versions of gas coins are numbers.
 */
const argument = z.union([
  z.literal("GasCoin"),
  z.object({ Input: z.int() }),
  z.object({ Result: z.int() }),
  z.object({ NestedResult: z.tuple([z.int(), z.int()]) }),
]);
const argumentsOf = z.array(argument);
const objectInput = z.object({ type: z.literal("object"), objectId: z.string() });
const versioned = objectInput.extend({ version: z.string(), digest: z.string() });

const input = z.union([
  z.object({
    type: z.literal("pure"),
    valueType: z.string().nullable(),
    value: z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown())]),
  }),
  versioned.extend({ objectType: z.literal("immOrOwnedObject") }),
  versioned.extend({ objectType: z.literal("receiving") }),
  objectInput.extend({
    objectType: z.literal("sharedObject"),
    initialSharedVersion: z.string(),
    mutable: z.boolean(),
  }),
  z.object({
    type: z.literal("fundsWithdrawal"),
    reservation: z.object({ maxAmountU64: z.string() }),
    typeArg: z.object({ balance: z.string() }),
    withdrawFrom: z.enum(["sender", "sponsor", "senderAllowance"]),
  }),
]);

const command = z.union([
  z.object({
    MoveCall: z.object({
      package: z.string(),
      module: z.string(),
      function: z.string(),
      type_arguments: z.array(z.string()).exactOptional(),
      arguments: argumentsOf.exactOptional(),
    }),
  }),
  z.object({ TransferObjects: z.tuple([argumentsOf, argument]) }),
  z.object({ SplitCoins: z.tuple([argument, argumentsOf]) }),
  z.object({ MergeCoins: z.tuple([argument, argumentsOf]) }),
  z.object({ Publish: z.array(z.string()) }),
  z.object({ MakeMoveVec: z.tuple([z.string().nullable(), argumentsOf]) }),
  z.object({ Upgrade: z.tuple([z.array(z.string()), z.string(), argument]) }),
]);

/** The schema of a transaction as a full node's JSON-RPC shows it. */
export const suiTransactionBlock = z.object({
  data: z.object({
    messageVersion: z.literal("v1"),
    transaction: z.object({
      kind: z.literal("ProgrammableTransaction"),
      inputs: z.array(input),
      transactions: z.array(command),
    }),
    sender: z.string(),
    gasData: z.object({
      payment: z.array(z.object({ objectId: z.string(), version: z.int().min(0), digest: z.string() })),
      owner: z.string(),
      price: z.string(),
      budget: z.string(),
    }),
  }),
  txSignatures: z.array(z.string()),
});

/** A transaction as a full node's JSON-RPC shows it. */
export type SuiTransactionBlock = z.output<typeof suiTransactionBlock>;
type Programmable = SuiTransactionBlock["data"]["transaction"];
/** An input of a transaction, in the form of a full node's JSON-RPC. */
export type JsonRpcInput = Programmable["inputs"][number];
/** A command of a transaction, in the form of a full node's JSON-RPC. */
export type JsonRpcCommand = Programmable["transactions"][number];
/** An argument of a command, in the form of a full node's JSON-RPC. Indices count from 0. */
export type JsonRpcArgument = z.output<typeof argument>;
