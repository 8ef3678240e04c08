import { bcs } from "@mysten/sui/bcs";
import type { ObjectRef } from "../../../shared/chain/sui/coins.ts";
import { transactionDigest } from "../../../shared/chain/sui/transaction.ts";

type Data = ReturnType<typeof bcs.TransactionData.parse>["V1"];
type Command = NonNullable<Data["kind"]["ProgrammableTransaction"]>["commands"][number];
type Argument = ReturnType<typeof bcs.Argument.parse>;
type Ref = { readonly objectId: string; readonly version: string | number | bigint; readonly digest: string };

/** What a transaction does with the gas coin and with new coins, in the order of its commands. */
export type ModelCommand =
  /** Coins of these amounts, split off the gas coin, for the recipient. */
  | { readonly do: "split"; readonly amountsMist: readonly bigint[]; readonly to: string }
  /** A coin of this amount out of the sender's address balance, for the recipient. */
  | { readonly do: "redeem"; readonly amountMist: bigint; readonly to: string }
  /** What consensus orders among its inputs goes into the gas coin, or into an address balance. */
  | { readonly do: "take in"; readonly into: "gas coin" | "address balance" }
  /** The whole gas coin into the address balance of the recipient. */
  | { readonly do: "sweep"; readonly to: string };

/** What the model chain understands of a transaction. Objects that it takes are inputs, whatever happens to them. */
export interface ModelTransaction {
  readonly digest: string;
  readonly payment: readonly ObjectRef[];
  readonly inputs: readonly ObjectRef[];
  /** Inputs that consensus orders, by id and start version. */
  readonly ordered: readonly { readonly objectId: string; readonly startVersion: bigint }[];
  readonly commands: readonly ModelCommand[];
  readonly budgetMist: bigint;
  readonly priceMist: bigint;
  readonly firstEpoch: bigint;
  readonly lastEpoch: bigint;
  /** Null: it is not bound to one chain. */
  readonly chainIdentifier: string | null;
  /** Of a transaction without coins. */
  readonly nonce: number | null;
}

/** Decodes with the SDK, not with the code under test. */
export function decodeTransaction(transactionBytes: Uint8Array): ModelTransaction {
  const { kind, gasData, expiration } = bcs.TransactionData.parse(transactionBytes).V1;
  const programmable = kind.ProgrammableTransaction;
  if (programmable === undefined) throw new Error("not a programmable transaction");
  const objects = programmable.inputs.flatMap((input) => input.Object?.ImmOrOwnedObject ?? []);
  const shared = programmable.inputs.flatMap((input) => input.Object?.SharedObject ?? []);
  return {
    digest: transactionDigest(transactionBytes),
    payment: gasData.payment.map(refOf),
    inputs: objects.map(refOf),
    ordered: shared.map(({ objectId, initialSharedVersion }) => ({
      objectId,
      startVersion: BigInt(initialSharedVersion),
    })),
    commands: commandsOf(programmable),
    budgetMist: BigInt(gasData.budget),
    priceMist: BigInt(gasData.price),
    ...validityOf(expiration),
  };
}

function refOf({ objectId, version, digest }: Ref): ObjectRef {
  return { objectId, version: BigInt(version), digest };
}

function validityOf(expiration: Data["expiration"]) {
  if (expiration.ValidDuring !== undefined) {
    const { minEpoch, maxEpoch, chain, nonce } = expiration.ValidDuring;
    if (minEpoch === null || maxEpoch === null) throw new Error("a window without an end");
    return { firstEpoch: BigInt(minEpoch), lastEpoch: BigInt(maxEpoch), chainIdentifier: chain, nonce };
  }
  if (expiration.Epoch === undefined) throw new Error("a transaction that never expires");
  return { firstEpoch: 0n, lastEpoch: BigInt(expiration.Epoch), chainIdentifier: null, nonce: null };
}

/** The few shapes that a fund builds, and kinds of users that touch no coin. */
function commandsOf({ inputs, commands }: NonNullable<Data["kind"]["ProgrammableTransaction"]>): ModelCommand[] {
  const pure = (argument: Argument): Uint8Array => {
    const bytes = argument.Input === undefined ? undefined : inputs[argument.Input]?.Pure?.bytes;
    if (bytes === undefined) throw new Error("the model knows pure inputs only here");
    return typeof bytes === "string" ? Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0)) : bytes;
  };
  const address = (argument: Argument) => bcs.Address.parse(pure(argument));
  const recipientOf = (index: number) => {
    const next = commands[index + 1]?.TransferObjects;
    if (next === undefined) throw new Error("the model knows coins that are handed on at once");
    return address(next.address);
  };
  const read = (command: Command, index: number): ModelCommand[] => {
    if (command.SplitCoins !== undefined) {
      const amountsMist = command.SplitCoins.amounts.map((amount) => BigInt(bcs.u64().parse(pure(amount))));
      return [{ do: "split", amountsMist, to: recipientOf(index) }];
    }
    if (command.MoveCall?.function === "redeem_funds") {
      const amount = inputs.flatMap((input) => input.FundsWithdrawal?.reservation.MaxAmountU64 ?? [])[0];
      if (amount === undefined) throw new Error("nothing to redeem");
      return [{ do: "redeem", amountMist: BigInt(amount), to: recipientOf(index) }];
    }
    if (command.MoveCall?.function === "send_funds") {
      const [coin, to] = command.MoveCall.arguments;
      if (coin?.Input === 0) return [{ do: "take in", into: "address balance" }];
      if (coin?.GasCoin !== true || to === undefined) throw new Error("the model sends the gas coin only");
      return [{ do: "sweep", to: address(to) }];
    }
    if (command.MergeCoins !== undefined) {
      // Merged into the first of them, they are sent with it.
      const { destination } = command.MergeCoins;
      return destination.GasCoin === true ? [{ do: "take in", into: "gas coin" }] : [];
    }
    // What is handed on was read with the command that made it, or is an input that comes back as it was.
    if (command.TransferObjects !== undefined || command.MakeMoveVec !== undefined) return [];
    throw new Error(`the model does not know ${command.$kind}`);
  };
  return commands.flatMap(read);
}
