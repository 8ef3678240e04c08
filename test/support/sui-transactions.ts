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
export type Command = Programmable["commands"] extends Iterable<infer Item> ? Item : never;
export type Input = Programmable["inputs"] extends Iterable<infer Item> ? Item : never;

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
