import type { SuiGrpcClient } from "@mysten/sui/grpc";
import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { DEMO_COUNTER } from "../demo.ts";
import { BADGE, callDemo, LOCKER } from "../object-testing.ts";
import { suiAccount } from "../sui/accounts.ts";
import { createCoinReservationRef } from "../sui/coin-reservation.ts";
import { SUI_TYPE } from "../sui/objects.ts";
import type { CommandPlan, TransactionPlan } from "./plan.ts";

const typeArguments = [SUI_TYPE];

type Ref = Awaited<ReturnType<SuiGrpcClient["listCoins"]>>["objects"][number];
type Owned = Awaited<ReturnType<SuiGrpcClient["listOwnedObjects"]>>["objects"][number];

/** What a sender has when its transaction is built. */
interface Holdings {
  readonly coins: readonly Ref[];
  readonly badges: readonly Owned[];
  readonly lockers: readonly Owned[];
  readonly mail: readonly Owned[];
  readonly chainId: string;
  readonly epoch: bigint;
}

/** Builds what a plan says against the present state, with full references: what fails is to be executed, not refused early. */
export async function buildTransaction(
  client: SuiGrpcClient,
  actors: readonly Ed25519Keypair[],
  plan: TransactionPlan,
  nonce: number,
): Promise<{ bytes: Uint8Array; signers: Ed25519Keypair[] }> {
  const sender = pick(actors, plan.sender);
  const payer = pick(actors, plan.payer ?? plan.sender);
  const holdings = await holdingsOf(client, sender.toSuiAddress());
  const payerCoins = payer === sender ? holdings.coins : await coinsOf(client, payer.toSuiAddress());
  const { referenceGasPrice } = await client.getReferenceGasPrice();
  const transaction = new Transaction();
  transaction.setSender(sender.toSuiAddress());
  transaction.setGasOwner(payer.toSuiAddress());
  transaction.setGasPrice(referenceGasPrice);
  transaction.setGasBudget(plan.budget);
  transaction.setExpiration({
    ValidDuring: {
      minEpoch: String(holdings.epoch),
      maxEpoch: String(holdings.epoch + 1n),
      minTimestamp: null,
      maxTimestamp: null,
      chain: holdings.chainId,
      nonce,
    },
  });
  const [gasCoin] = payerCoins;
  const reservation = createCoinReservationRef(
    suiAccount(payer.toSuiAddress()),
    plan.budget,
    holdings.epoch,
    holdings.chainId,
  );
  const payment = {
    coins: gasCoin ? [gasCoin] : [],
    balance: [],
    coinThenBalance: gasCoin ? [gasCoin, reservation] : [reservation],
    balanceThenCoin: gasCoin ? [reservation, gasCoin] : [reservation],
  }[plan.pay];
  transaction.setGasPayment(payment.map(({ objectId, version, digest }) => ({ objectId, version, digest })));
  const spare = { ...holdings, coins: holdings.coins.filter(({ objectId }) => objectId !== gasCoin?.objectId) };
  for (const command of plan.commands) addCommand(transaction, command, spare, actors, sender);
  const signers = payer === sender ? [sender] : [sender, payer];
  return { bytes: await transaction.build(), signers };
}

function addCommand(
  transaction: Transaction,
  command: CommandPlan,
  holdings: Holdings,
  actors: readonly Ed25519Keypair[],
  sender: Ed25519Keypair,
): void {
  const addressOf = (index: number) => pick(actors, index).toSuiAddress();
  const call = (target: string, ...given: NonNullable<Parameters<Transaction["moveCall"]>[0]["arguments"]>) =>
    transaction.moveCall({ target, typeArguments, arguments: given });
  const [first, second] = holdings.coins;
  const [badge] = holdings.badges;
  const lastBadge = holdings.badges.at(-1);
  const [locker] = holdings.lockers;
  const [mailed] = holdings.mail;
  const counter = (mutable: boolean) =>
    transaction.sharedObjectRef({
      objectId: DEMO_COUNTER.objectId,
      initialSharedVersion: String(DEMO_COUNTER.initialSharedVersion),
      mutable,
    });
  switch (command.kind) {
    case "splitAndSend": {
      const [piece] = transaction.splitCoins(transaction.gas, [command.amount]);
      transaction.transferObjects([piece], addressOf(command.to));
      return;
    }
    case "sendFunds": {
      const [piece] = transaction.splitCoins(transaction.gas, [command.amount]);
      call("0x2::coin::send_funds", piece, transaction.pure.address(addressOf(command.to)));
      return;
    }
    case "redeemCoin": {
      const withdrawal = transaction.withdrawal({ amount: command.amount + 1n });
      transaction.transferObjects([call("0x2::coin::redeem_funds", withdrawal)], addressOf(command.to));
      return;
    }
    case "redeemBalance": {
      const withdrawal = transaction.withdrawal({ amount: command.amount + 1n });
      const balance = call("0x2::balance::redeem_funds", withdrawal);
      call("0x2::balance::send_funds", balance, transaction.pure.address(addressOf(command.to)));
      return;
    }
    case "withdrawUnused":
      transaction.withdrawal({ amount: command.amount + 1n });
      return;
    case "reserveCoin": {
      const account = suiAccount(sender.toSuiAddress());
      const ref = createCoinReservationRef(account, command.amount + 1n, holdings.epoch, holdings.chainId);
      const [piece] = transaction.splitCoins(transaction.objectRef(ref), [command.amount / 2n]);
      transaction.transferObjects([piece], addressOf(command.to));
      return;
    }
    case "mergeCoins":
      if (first && second) transaction.mergeCoins(transaction.objectRef(first), [transaction.objectRef(second)]);
      return;
    case "giveGasCoin":
      transaction.transferObjects([transaction.gas], addressOf(command.to));
      return;
    case "sendGasCoin":
      call("0x2::coin::send_funds", transaction.gas, transaction.pure.address(addressOf(command.to)));
      return;
    case "mint":
      callDemo(transaction, "mint", transaction.pure.string("badge"));
      return;
    case "giveBadge":
      if (badge) giveBadge(transaction, objectInput(transaction, badge), addressOf(command.to), command.as);
      return;
    case "newLocker":
      transaction.transferObjects([callDemo(transaction, "new_locker")], sender.toSuiAddress());
      return;
    case "shareLocker":
      transaction.moveCall({
        target: "0x2::transfer::public_share_object",
        typeArguments: [LOCKER],
        arguments: [callDemo(transaction, "new_locker")],
      });
      return;
    case "lockBadge":
      if (badge && locker) {
        callDemo(transaction, "lock", objectInput(transaction, locker), objectInput(transaction, badge));
      }
      return;
    case "unlockBadge":
      if (locker) {
        const taken = callDemo(transaction, "unlock", objectInput(transaction, locker));
        transaction.transferObjects([taken], sender.toSuiAddress());
      }
      return;
    case "burnLocked":
      if (locker) callDemo(transaction, "burn_locked", objectInput(transaction, locker));
      return;
    case "burnBadge":
      if (badge) callDemo(transaction, "burn", objectInput(transaction, badge));
      return;
    case "mailBadge":
      if (lastBadge && locker) transaction.transferObjects([objectInput(transaction, lastBadge)], locker.objectId);
      return;
    case "receiveBadge":
      if (locker && mailed) {
        const ticket = transaction.receivingRef(mailed);
        const received = callDemo(transaction, "receive_badge", objectInput(transaction, locker), ticket);
        transaction.transferObjects([received], sender.toSuiAddress());
      }
      return;
    case "increment":
      callDemo(transaction, "increment_by", counter(true), transaction.pure.u64(command.by));
      return;
    case "readCounter":
      callDemo(transaction, "value", counter(false));
      return;
    case "leaveOver":
      transaction.splitCoins(transaction.gas, [0n]);
      return;
  }
}

function giveBadge(
  transaction: Transaction,
  badge: ReturnType<typeof objectInput>,
  to: string,
  as: "owned" | "party" | "frozen",
): void {
  if (as === "owned") {
    transaction.transferObjects([badge], to);
    return;
  }
  const call = (name: string, ...rest: NonNullable<Parameters<Transaction["moveCall"]>[0]["arguments"]>) =>
    transaction.moveCall({ target: `0x2::transfer::${name}`, typeArguments: [BADGE], arguments: [badge, ...rest] });
  if (as === "frozen") {
    call("public_freeze_object");
    return;
  }
  const party = transaction.moveCall({
    target: "0x2::party::single_owner",
    arguments: [transaction.pure.address(to)],
  });
  call("public_party_transfer", party);
}

function objectInput(transaction: Transaction, { objectId, version, digest, owner }: Owned) {
  const start = owner.ConsensusAddressOwner?.startVersion;
  return start === undefined
    ? transaction.objectRef({ objectId, version, digest })
    : transaction.sharedObjectRef({ objectId, initialSharedVersion: start, mutable: true });
}

async function holdingsOf(client: SuiGrpcClient, owner: string): Promise<Holdings> {
  const [coins, badges, lockers, { systemState }, { chainIdentifier }] = await Promise.all([
    coinsOf(client, owner),
    client.listOwnedObjects({ owner, type: BADGE }),
    client.listOwnedObjects({ owner, type: LOCKER }),
    client.getCurrentSystemState(),
    client.getChainIdentifier(),
  ]);
  const [locker] = lockers.objects;
  const mail = locker ? (await client.listOwnedObjects({ owner: locker.objectId, type: BADGE })).objects : [];
  return {
    coins,
    badges: badges.objects,
    lockers: lockers.objects,
    mail,
    chainId: chainIdentifier,
    epoch: BigInt(systemState.epoch),
  };
}

async function coinsOf(client: SuiGrpcClient, owner: string): Promise<readonly Ref[]> {
  return (await client.listCoins({ owner })).objects;
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`no item ${index}`);
  return item;
}
