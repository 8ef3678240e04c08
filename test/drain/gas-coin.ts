import { bcs } from "@mysten/sui/bcs";
import { type Command, pureInput, rawKind, SUI_TYPE } from "../support/sui-transactions.ts";
import type { Consequence, DrainCase, DrainFixture } from "./drain-case.ts";

/**
 * The gas coin in each position that an argument can have, alone and beside a harmless one. In a sponsored transaction
 * it is the sponsor's, and the sender writes the commands.
 */

const GAS = { GasCoin: true } as const;
/** The inputs of all these kinds, in this order. */
const ATTACKER = { Input: 0 } as const;
const AMOUNT = { Input: 1 } as const;
const OWN_COIN = { Input: 2 } as const;
const NOTHING = { Input: 3 } as const;
const FIRST_RESULT = { Result: 0 } as const;
const SOME_PACKAGE = `0x${"0a".repeat(32)}`;

function coinCall(name: string, ...args: (typeof GAS | typeof ATTACKER | typeof OWN_COIN)[]): Command {
  return { MoveCall: { package: "0x2", module: "coin", function: name, typeArguments: [SUI_TYPE], arguments: args } };
}
const zeroCoin = coinCall("zero");
const ownValue = coinCall("value", OWN_COIN);
const splitGas: Command = { SplitCoins: { coin: GAS, amounts: [AMOUNT] } };
function give(...objects: (typeof GAS | typeof OWN_COIN | { readonly Result: number })[]): Command {
  return { TransferObjects: { objects, address: ATTACKER } };
}

const taken = (mist: (gasMist: bigint, fixture: DrainFixture) => bigint): Consequence => ({ is: "taken", mist });
const wasted = (error: string): Consequence => ({ is: "wasted", error });

/** Whoever has the gas coin at the end is charged the gas: the sponsor loses it whole. */
const wholeCoin = taken((gasMist, { gasCoinMist }) => gasCoinMist - gasMist);
/** Without a coin the gas coin is one of the budget's amount, made for this transaction. */
const wholeBudget = taken((gasMist, { gasBudgetMist }) => gasBudgetMist - gasMist);
/** The budget is withheld from the gas coin while commands run: without a coin that leaves nothing. */
const allButBudget = taken((_, { gasCoinMist, gasBudgetMist }) => gasCoinMist - gasBudgetMist);
const nothingLeft = wasted("Insufficient coin balance for operation");
const byReferenceOnly = wasted("It can only be used by-value with TransferObjects");
const noPureValue = wasted("The type of the value does not match the expected type");
const paidIn: Consequence = { is: "given", mist: ({ attackersCoin }) => attackersCoin.balanceMist };

type Row = readonly [position: string, commands: readonly Command[], coin: Consequence, balance: Consequence];

const rows: readonly Row[] = [
  ["first argument of MoveCall", [coinCall("send_funds", GAS, ATTACKER)], wholeCoin, wholeBudget],
  ["last argument of MoveCall", [coinCall("join", OWN_COIN, GAS)], byReferenceOnly, byReferenceOnly],
  ["first of TransferObjects objects", [give(GAS, OWN_COIN)], wholeCoin, wholeBudget],
  ["last of TransferObjects objects", [give(OWN_COIN, GAS)], wholeCoin, wholeBudget],
  ["TransferObjects address", [{ TransferObjects: { objects: [OWN_COIN], address: GAS } }], noPureValue, noPureValue],
  ["SplitCoins coin", [splitGas, give(FIRST_RESULT)], allButBudget, nothingLeft],
  [
    "first of SplitCoins amounts",
    [{ SplitCoins: { coin: OWN_COIN, amounts: [GAS, NOTHING] } }],
    noPureValue,
    noPureValue,
  ],
  [
    "last of SplitCoins amounts",
    [{ SplitCoins: { coin: OWN_COIN, amounts: [NOTHING, GAS] } }],
    noPureValue,
    noPureValue,
  ],
  ["MergeCoins destination", [{ MergeCoins: { destination: GAS, sources: [OWN_COIN] } }], paidIn, paidIn],
  [
    "first of MergeCoins sources",
    [zeroCoin, { MergeCoins: { destination: OWN_COIN, sources: [GAS, FIRST_RESULT] } }],
    byReferenceOnly,
    byReferenceOnly,
  ],
  [
    "last of MergeCoins sources",
    [zeroCoin, { MergeCoins: { destination: OWN_COIN, sources: [FIRST_RESULT, GAS] } }],
    byReferenceOnly,
    byReferenceOnly,
  ],
  [
    "first of MakeMoveVec elements",
    [{ MakeMoveVec: { type: null, elements: [GAS, OWN_COIN] } }],
    byReferenceOnly,
    byReferenceOnly,
  ],
  [
    "last of MakeMoveVec elements",
    [{ MakeMoveVec: { type: null, elements: [OWN_COIN, GAS] } }],
    byReferenceOnly,
    byReferenceOnly,
  ],
  // The development chain upgrades nothing; on a real one the ticket has the wrong type.
  [
    "Upgrade ticket",
    [{ Upgrade: { modules: [Uint8Array.of(1)], dependencies: [], package: SOME_PACKAGE, ticket: GAS } }],
    wasted("not supported yet"),
    wasted("not supported yet"),
  ],
  ["argument of a later command", [ownValue, splitGas, give({ Result: 1 })], allButBudget, nothingLeft],
];

export const gasCoinCases: readonly DrainCase[] = rows.map(([position, commands, coin, balance]) => ({
  name: `the gas coin as ${position}`,
  how: "Uses the sponsor's coin as if it were the sender's.",
  build: ({ attacker, attackersCoin, gasCoinMist, gasBudgetMist }) => {
    const { objectId, version, digest } = attackersCoin;
    const inputs = [
      pureInput(bcs.Address.serialize(attacker).toBytes()),
      pureInput(
        bcs
          .u64()
          .serialize(gasCoinMist - gasBudgetMist)
          .toBytes(),
      ),
      { Object: { ImmOrOwnedObject: { objectId, version, digest } } },
      pureInput(bcs.u64().serialize(0n).toBytes()),
    ];
    return { kind: rawKind(commands, inputs), sender: attacker };
  },
  throughTheService: { reason: "gas_coin_used", details: /command \d uses the gas coin/ },
  atTheChain: { coin, "address balance": balance },
}));
