import { bcs } from "@mysten/sui/bcs";
import { Transaction } from "@mysten/sui/transactions";
import { DEMO_COUNTER, DEMO_PACKAGE } from "../devchain/demo.ts";

/** Transaction kinds as an app builds them, with the stock SDK and without asking any node. */

export const SUI_TYPE = "0x2::sui::SUI";

export async function kindOf(change: (transaction: Transaction) => void): Promise<Uint8Array> {
  const transaction = new Transaction();
  change(transaction);
  return transaction.build({ onlyTransactionKind: true });
}

/** Gives the sender a badge. Touches nothing shared. */
export function mintKind(name = "badge"): Promise<Uint8Array> {
  return kindOf((transaction) => {
    transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint`, arguments: [transaction.pure.string(name)] });
  });
}

/** Adds to the shared counter; aborts on chain where `amount` is 0. */
export function incrementKind(amount = 1n): Promise<Uint8Array> {
  return kindOf((transaction) => {
    const counter = transaction.sharedObjectRef({
      objectId: DEMO_COUNTER.objectId,
      initialSharedVersion: DEMO_COUNTER.initialSharedVersion.toString(),
      mutable: true,
    });
    transaction.moveCall({
      target: `${DEMO_PACKAGE}::demo::increment_by`,
      arguments: [counter, transaction.pure.u64(amount)],
    });
  });
}

export interface ObjectReference {
  readonly objectId: string;
  readonly version: string;
  readonly digest: string;
}

/** Moves one of the sender's own objects. */
export function transferKind(object: ObjectReference, recipient: string): Promise<Uint8Array> {
  return kindOf((transaction) => {
    transaction.transferObjects([transaction.objectRef(object)], recipient);
  });
}

type Kind = Parameters<typeof bcs.TransactionKind.serialize>[0];
type Programmable = Extract<Kind, { ProgrammableTransaction: object }>["ProgrammableTransaction"];
type Command = Programmable["commands"] extends Iterable<infer Item> ? Item : never;
type Input = Programmable["inputs"] extends Iterable<infer Item> ? Item : never;

/** The BCS of a kind that the SDK's builder would not build. */
export function rawKind(commands: readonly Command[], inputs: readonly Input[] = []): Uint8Array {
  return bcs.TransactionKind.serialize(
    { ProgrammableTransaction: { inputs: [...inputs], commands: [...commands] } },
    {
      maxSize: 1_000_000,
    },
  ).toBytes();
}

export const pureInput = (bytes: Uint8Array): Input => ({ Pure: { bytes } });

const GAS = { GasCoin: true } as const;
const OTHER = { Input: 0 } as const;
const someAddress = `0x${"0a".repeat(32)}`;

/** The gas coin in each position that an argument can have, alone and behind a harmless one. */
export const gasCoinKinds: readonly (readonly [string, Uint8Array])[] = [
  ["first argument of MoveCall", rawKind([moveCall(GAS, OTHER)])],
  ["last argument of MoveCall", rawKind([moveCall(OTHER, OTHER, GAS)])],
  ["first of TransferObjects objects", rawKind([{ TransferObjects: { objects: [GAS, OTHER], address: OTHER } }])],
  ["last of TransferObjects objects", rawKind([{ TransferObjects: { objects: [OTHER, GAS], address: OTHER } }])],
  ["TransferObjects address", rawKind([{ TransferObjects: { objects: [OTHER], address: GAS } }])],
  ["SplitCoins coin", rawKind([{ SplitCoins: { coin: GAS, amounts: [OTHER] } }])],
  ["first of SplitCoins amounts", rawKind([{ SplitCoins: { coin: OTHER, amounts: [GAS, OTHER] } }])],
  ["last of SplitCoins amounts", rawKind([{ SplitCoins: { coin: OTHER, amounts: [OTHER, GAS] } }])],
  ["MergeCoins destination", rawKind([{ MergeCoins: { destination: GAS, sources: [OTHER] } }])],
  ["first of MergeCoins sources", rawKind([{ MergeCoins: { destination: OTHER, sources: [GAS, OTHER] } }])],
  ["last of MergeCoins sources", rawKind([{ MergeCoins: { destination: OTHER, sources: [OTHER, GAS] } }])],
  ["first of MakeMoveVec elements", rawKind([{ MakeMoveVec: { type: null, elements: [GAS, OTHER] } }])],
  ["last of MakeMoveVec elements", rawKind([{ MakeMoveVec: { type: null, elements: [OTHER, GAS] } }])],
  [
    "Upgrade ticket",
    rawKind([{ Upgrade: { modules: [Uint8Array.of(1)], dependencies: [], package: someAddress, ticket: GAS } }]),
  ],
  [
    "a later command",
    rawKind([{ MakeMoveVec: { type: "u8", elements: [OTHER] } }, { SplitCoins: { coin: GAS, amounts: [OTHER] } }]),
  ],
];

function moveCall(...args: (typeof GAS | typeof OTHER)[]): Command {
  return {
    MoveCall: { package: DEMO_PACKAGE, module: "demo", function: "mint", typeArguments: [], arguments: args },
  };
}

/** A withdrawal from an address balance that is not the sender's own. */
export function withdrawalKind(
  withdrawFrom: { Sponsor: true } | { SenderAllowance: { funder: string; allowance: string } },
): Uint8Array {
  const withdrawal = { reservation: { MaxAmountU64: 1n }, typeArg: { Balance: SUI_TYPE }, withdrawFrom };
  return rawKind([moveCall(OTHER)], [{ FundsWithdrawal: withdrawal }]);
}
