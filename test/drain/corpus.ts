import { bcs } from "@mysten/sui/bcs";
import { fromBase58, toHex } from "@mysten/sui/utils";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { type Command, type Input, pureInput, rawKind, SUI_TYPE } from "../support/sui-transactions.ts";
import type { Attempt, Consequence, DrainCase, DrainFixture } from "./drain-case.ts";
import { gasCoinCases } from "./gas-coin.ts";

/**
 * Ways to drain a gas station of Sui that one transaction is enough for, as data. Each is tried twice: through the
 * service, which refuses it with a reason of its own, and past it, with a sponsor that signs whatever it is given. What
 * the chain lets happen then is the reason for the check.
 */

const toAttacker: Command = { TransferObjects: { objects: [{ Result: 0 }], address: { Input: 1 } } };
const redeem: Command = {
  MoveCall: {
    package: "0x2",
    module: "coin",
    function: "redeem_funds",
    typeArguments: [SUI_TYPE],
    arguments: [{ Input: 0 }],
  },
};

const addressInput = (address: string): Input => pureInput(bcs.Address.serialize(address).toBytes());

const mint = rawKind(
  [
    {
      MoveCall: {
        package: DEMO_PACKAGE,
        module: "demo",
        function: "mint",
        typeArguments: [],
        arguments: [{ Input: 0 }],
      },
    },
  ],
  [pureInput(bcs.string().serialize("badge").toBytes())],
);

type Source = { Sender: true } | { Sponsor: true } | { SenderAllowance: { funder: string; allowance: string } };

/** Takes so much out of an address balance, and gives it to somebody. */
export function withdrawalKind(withdrawFrom: Source, amountMist: bigint, recipient: string): Uint8Array {
  const withdrawal = { reservation: { MaxAmountU64: amountMist }, typeArg: { Balance: SUI_TYPE }, withdrawFrom };
  return rawKind([redeem, toAttacker], [{ FundsWithdrawal: withdrawal }, addressInput(recipient)]);
}

/** Gives coins away that belong to whoever sends the transaction. */
function giveCoins(coins: DrainFixture["otherCoins"], recipient: string): Uint8Array {
  const inputs = coins.map(({ objectId, version, digest }) => ({
    Object: { ImmOrOwnedObject: { objectId, version, digest } },
  }));
  const objects = coins.map((_, index) => ({ Input: index + 1 }));
  return rawKind([{ TransferObjects: { objects, address: { Input: 0 } } }], [addressInput(recipient), ...inputs]);
}

const allOtherCoins: Consequence = {
  is: "taken",
  mist: (_, { otherCoins }) => otherCoins.reduce((sum, { balanceMist }) => sum + balanceMist, 0n),
};
const sponsorWithdrawalsOff: Consequence = {
  is: "refused",
  text: "Explicit sponsor withdrawals are not yet supported",
};
const WITHDRAWN_MIST = 500_000_000n;
const withdrawn: Consequence = { is: "taken", mist: () => WITHDRAWN_MIST };

/**
 * A sponsor that copies the kind into the transaction copies what follows it as well, and what follows it on the chain
 * is the sender, then the number of coins that pay, then their references. So the attacker adds the victim as sender,
 * the number 2, and the beginning of a reference to a coin of the victim. The sponsor's own bytes go on with the sender
 * that was declared and the number 1 of its own coins: 33 bytes, the length of a digest and the digest that the
 * reference still lacks. From there on everything is what the sponsor meant.
 */
async function movedSender({ victim, otherCoins, bait, attacker }: DrainFixture): Promise<Attempt> {
  const { objectId, version, digest } = await bait();
  const added = bcs.struct("Added", { sender: bcs.Address, count: bcs.u8(), id: bcs.Address, version: bcs.u64() });
  const kind = giveCoins(otherCoins, attacker);
  const sender = `0x20${toHex(fromBase58(digest).slice(0, 31))}`;
  return {
    kind: Uint8Array.of(...kind, ...added.serialize({ sender: victim, count: 2, id: objectId, version }).toBytes()),
    sender,
  };
}

/** At least 1,000 units are charged; a budget that computation alone uses up makes the transaction fail. */
const dearestPriceMist = (gasBudgetMist: bigint): bigint => gasBudgetMist / 1_000n - 100n;
const almostTheBudget: Consequence = {
  is: "burned",
  computationMist: ({ gasBudgetMist }) => 1_000n * dearestPriceMist(gasBudgetMist),
};

export const corpus: readonly DrainCase[] = [
  ...gasCoinCases,
  {
    name: "the fund as sender, and its coins as inputs",
    how: "Names the sponsor as sender: its one signature then stands for both, and its objects are inputs like any.",
    build: ({ victim, otherCoins, attacker }) => ({ kind: giveCoins(otherCoins, attacker), sender: victim }),
    needsNoSignature: true,
    throughTheService: { reason: "sender_is_fund", details: /the fund itself/ },
    atTheChain: { coin: allOtherCoins, "address balance": allOtherCoins },
  },
  {
    name: "the fund as sender, and its address balance",
    how: "As before, and withdraws from the address balance of the sender, which is the sponsor.",
    build: ({ victim, attacker }) => ({
      kind: withdrawalKind({ Sender: true }, WITHDRAWN_MIST, attacker),
      sender: victim,
    }),
    needsNoSignature: true,
    throughTheService: { reason: "sender_is_fund", details: /the fund itself/ },
    atTheChain: { coin: withdrawn, "address balance": withdrawn },
  },
  {
    name: "bytes after the kind that make the fund the sender",
    how: "See `movedSender`. Neither the kind nor the declared sender is anything to object to.",
    build: movedSender,
    needsNoSignature: true,
    throughTheService: { reason: "non_canonical_bytes", details: /trailing bytes/ },
    atTheChain: { coin: allOtherCoins },
  },
  {
    name: "a byte after the kind",
    how: "Adds a byte that the SDK's parser does not look at: the kind reads like any other.",
    build: ({ attacker }) => ({ kind: Uint8Array.of(...mint, 0), sender: attacker }),
    throughTheService: { reason: "non_canonical_bytes", details: /trailing bytes/ },
    atTheChain: { coin: { is: "refused", text: "invalid transaction" } },
  },
  {
    name: "a length in more bytes than it needs",
    how: "Writes the number of inputs, 1, as 0x81 0x00. A lenient parser reads the same kind, under another digest.",
    build: ({ attacker }) => ({ kind: Uint8Array.of(0, 0x81, 0x00, ...mint.slice(2)), sender: attacker }),
    throughTheService: { reason: "non_canonical_bytes", details: /not in its shortest form/ },
    atTheChain: { coin: { is: "refused", text: "invalid transaction" } },
  },
  {
    name: "a withdrawal from the sponsor",
    how: "Withdraws from the address balance of whoever pays for the gas. The SDK can build it, the protocol has it off.",
    build: ({ attacker }) => ({ kind: withdrawalKind({ Sponsor: true }, 1n, attacker), sender: attacker }),
    throughTheService: { reason: "foreign_withdrawal", details: /input 0/ },
    atTheChain: {
      coin: sponsorWithdrawalsOff,
      "address balance": sponsorWithdrawalsOff,
    },
  },
  {
    name: "a withdrawal from an allowance of the fund",
    how: "Withdraws from the fund's address balance as if the fund had allowed it. No fund allows anything.",
    build: ({ attacker, victim, attackersCoin }) => {
      const allowance = { funder: victim, allowance: attackersCoin.objectId };
      return { kind: withdrawalKind({ SenderAllowance: allowance }, 1n, attacker), sender: attacker };
    },
    throughTheService: { reason: "foreign_withdrawal", details: /allowance of the fund/ },
    atTheChain: { coin: { is: "refused", text: "not found among the tx inputs" } },
  },
  {
    name: "an inflated gas price",
    how: "Asks for a price of which the whole budget is computation. The chain has no limit near the reference price.",
    build: ({ attacker, gasBudgetMist }) => ({
      kind: rawKind([]),
      sender: attacker,
      gasPriceMist: dearestPriceMist(gasBudgetMist),
    }),
    throughTheService: {
      reason: "gas_price_out_of_range",
      details: /1000 and 5 times/,
      more: { referenceGasPrice: "1000" },
    },
    atTheChain: { coin: almostTheBudget, "address balance": almostTheBudget },
  },
];
