import { bcs } from "@mysten/sui/bcs";
import type { ObjectRef } from "./coins.ts";

/**
 * The programmable transactions that a fund makes for itself, as BCS of `TransactionKind` (sui-types,
 * `transaction.rs`). Each one moves only the fund's own money.
 */

const SUI = "0x2::sui::SUI";
const COIN = { package: "0x2", module: "coin", typeArguments: [SUI] } as const;

type KindInput = Parameters<typeof bcs.TransactionKind.serialize>[0];
type Programmable = Extract<KindInput, { readonly ProgrammableTransaction: unknown }>["ProgrammableTransaction"];

function kindOf(programmable: Programmable): Uint8Array {
  return bcs.TransactionKind.serialize({ ProgrammableTransaction: programmable }).toBytes();
}

function addressInput(address: string) {
  return { Pure: { bytes: bcs.Address.serialize(address).toBytes() } };
}

function u64Input(value: bigint) {
  return { Pure: { bytes: bcs.u64().serialize(value).toBytes() } };
}

/** The most coins of a command: the chain allows fewer than 512 arguments (`max_arguments`). */
export const MAX_COINS_PER_COMMAND = 256;

/**
 * Splits new coins of these amounts off the gas coin, for the recipient. Without an amount, only merges its payment
 * coins into one. Equal amounts share one input. The n-th coin is the n-th object created.
 */
export function splitKind(amountsMist: readonly bigint[], recipient: string): Uint8Array {
  // An empty list of commands is valid, but some programs may refuse it. All accept a command without an effect.
  if (amountsMist.length === 0)
    return kindOf({ inputs: [], commands: [{ MakeMoveVec: { type: "u64", elements: [] } }] });
  const distinct = [...new Set(amountsMist)];
  return kindOf({
    inputs: [addressInput(recipient), ...distinct.map(u64Input)],
    commands: [
      {
        SplitCoins: {
          coin: { GasCoin: true },
          amounts: amountsMist.map((amountMist) => ({ Input: distinct.indexOf(amountMist) + 1 })),
        },
      },
      {
        TransferObjects: {
          objects: amountsMist.map((_, index) => ({ NestedResult: [0, index] as [number, number] })),
          address: { Input: 0 },
        },
      },
    ],
  });
}

/**
 * Passes coins on unchanged to their owner. Every input object of a transaction gets a higher version. So no signature
 * over the old versions can execute any more.
 */
export function recycleKind(coins: readonly ObjectRef[], owner: string): Uint8Array {
  return kindOf({
    inputs: [
      addressInput(owner),
      ...coins.map(({ objectId, version, digest }) => ({
        Object: { ImmOrOwnedObject: { objectId, version, digest } },
      })),
    ],
    commands: [
      { TransferObjects: { objects: coins.map((_, index) => ({ Input: index + 1 })), address: { Input: 0 } } },
    ],
  });
}

/** Makes one coin from the sender's address balance, for the recipient. It is the first object created. */
export function redeemKind(amountMist: bigint, recipient: string): Uint8Array {
  return kindOf({
    inputs: [
      {
        FundsWithdrawal: {
          reservation: { MaxAmountU64: amountMist },
          typeArg: { Balance: SUI },
          withdrawFrom: { Sender: true },
        },
      },
      addressInput(recipient),
    ],
    commands: [
      { MoveCall: { ...COIN, function: "redeem_funds", arguments: [{ Input: 0 }] } },
      { TransferObjects: { objects: [{ Result: 0 }], address: { Input: 1 } } },
    ],
  });
}

/** The reference of a transaction to an object that consensus orders. */
interface ConsensusRef {
  readonly objectId: string;
  readonly startVersion: bigint;
}

function consensusInput({ objectId, startVersion }: ConsensusRef) {
  return { Object: { SharedObject: { objectId, initialSharedVersion: startVersion, mutable: true } } };
}

/** Merges coins that the sender owns through consensus into the gas coin. */
export function takeInKind(coins: readonly ConsensusRef[]): Uint8Array {
  return kindOf({
    inputs: coins.map(consensusInput),
    commands: [
      { MergeCoins: { destination: { GasCoin: true }, sources: coins.map((_, index) => ({ Input: index })) } },
    ],
  });
}

/** Puts coins that the sender owns through consensus into the address balance of the recipient. */
export function takeInFundsKind(coins: readonly ConsensusRef[], recipient: string): Uint8Array {
  const sources = coins.slice(1).map((_, index) => ({ Input: index + 1 }));
  return kindOf({
    inputs: [...coins.map(consensusInput), addressInput(recipient)],
    commands: [
      ...(sources.length > 0 ? [{ MergeCoins: { destination: { Input: 0 }, sources } }] : []),
      { MoveCall: { ...COIN, function: "send_funds", arguments: [{ Input: 0 }, { Input: coins.length }] } },
    ],
  });
}

/** Puts all of the payment coins, less the gas, into the address balance of the recipient. */
export function sweepKind(recipient: string): Uint8Array {
  return kindOf({
    inputs: [addressInput(recipient)],
    commands: [{ MoveCall: { ...COIN, function: "send_funds", arguments: [{ GasCoin: true }, { Input: 0 }] } }],
  });
}

/** Puts an amount of the payment coins into the address balance of the recipient. The rest stays in the gas coin. */
export function splitSweepKind(amountMist: bigint, recipient: string): Uint8Array {
  return kindOf({
    inputs: [addressInput(recipient), u64Input(amountMist)],
    commands: [
      { SplitCoins: { coin: { GasCoin: true }, amounts: [{ Input: 1 }] } },
      { MoveCall: { ...COIN, function: "send_funds", arguments: [{ NestedResult: [0, 0] }, { Input: 0 }] } },
    ],
  });
}
