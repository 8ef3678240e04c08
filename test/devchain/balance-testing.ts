import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import {
  type ChainObject,
  coinContents,
  GENESIS_TRANSACTION,
  SUI_COIN_TYPE,
  SUI_TYPE,
  withDigest,
} from "./sui/objects.ts";
import { signAll, type TestChain } from "./testing.ts";

export const BUDGET_MIST = 10_000_000n;
const PRICE_MIST = 1_000n;

type Change = (transaction: Transaction) => void;

export type BalanceHarness = ReturnType<typeof balanceHarness>;

/** Builds and sends transactions whose gas comes from an address balance; `user` sends and pays where nobody is named. */
export function balanceHarness({ client }: TestChain, user: Ed25519Keypair) {
  let nonce = 0;

  /** A `ValidDuring` with a nonce of its own. */
  async function during(minEpoch: bigint | null = 0n, maxEpoch: bigint | null = 1n) {
    const { chainIdentifier: chain } = await client.getChainIdentifier();
    nonce += 1;
    return {
      ValidDuring: {
        minEpoch: minEpoch === null ? null : String(minEpoch),
        maxEpoch: maxEpoch === null ? null : String(maxEpoch),
        minTimestamp: null,
        maxTimestamp: null,
        chain,
        nonce,
      },
    };
  }

  async function build(change: Change, sender = user, payer = sender, budget = BUDGET_MIST): Promise<Uint8Array> {
    const transaction = new Transaction();
    transaction.setSender(sender.toSuiAddress());
    transaction.setGasOwner(payer.toSuiAddress());
    transaction.setGasPayment([]);
    transaction.setGasPrice(PRICE_MIST);
    transaction.setGasBudget(budget);
    transaction.setExpiration(await during());
    change(transaction);
    return transaction.build();
  }

  async function submit(bytes: Uint8Array, ...signers: Ed25519Keypair[]) {
    const include = { effects: true, balanceChanges: true } as const;
    const signatures = await signAll(bytes, ...signers);
    const result = await client.executeTransaction({ transaction: bytes, signatures, include });
    return result.Transaction ?? result.FailedTransaction;
  }

  return {
    during,
    build,
    submit,

    async run(change: Change, sender = user, payer = sender, budget = BUDGET_MIST) {
      const signers = sender === payer ? [sender] : [sender, payer];
      return submit(await build(change, sender, payer, budget), ...signers);
    },

    async balances(owner: string) {
      const { balance } = await client.getBalance({ owner });
      return { inCoins: BigInt(balance.coinBalance), inFunds: BigInt(balance.addressBalance) };
    },
  };
}

/** Puts an amount of the gas coin into an address balance. */
export function sendFunds(transaction: Transaction, amount: bigint, to: string): void {
  const [coin] = transaction.splitCoins(transaction.gas, [amount]);
  transaction.moveCall({
    target: "0x2::coin::send_funds",
    typeArguments: [SUI_TYPE],
    arguments: [coin, transaction.pure.address(to)],
  });
}

/** Puts a coin as from genesis on the chain, without a storage deposit, for figures that were recorded with such. */
export function putCoin({ chain }: TestChain, owner: string, balance: bigint, number: number): ChainObject {
  const id = `0xc${number.toString(16).padStart(63, "0")}`;
  const coin = withDigest({
    id,
    version: 1n,
    owner: { kind: "address", address: owner },
    type: SUI_COIN_TYPE,
    hasPublicTransfer: true,
    contents: coinContents(id, balance),
    previousTransaction: GENESIS_TRANSACTION,
    storageRebate: 0n,
  });
  chain.sui.store.putObject(coin);
  return coin;
}

export function refOf({ id, version, digest }: ChainObject) {
  return { objectId: id, version: String(version), digest };
}
