import { bcs } from "@mysten/sui/bcs";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { TransactionDataBuilder } from "@mysten/sui/transactions";
import { toBase64 } from "@mysten/sui/utils";
import { chainUrl, giveSui, sui, untilAllIsShown, untilShown } from "../harness/harness.ts";
import { faucetIntoBalance } from "../support/faucet.ts";
import { submit } from "../support/sui-gas.ts";
import { kindOf, type ObjectReference } from "../support/sui-transactions.ts";
import type { Coin } from "./drain-case.ts";

const TRANSACTION_DATA_V1 = 0;
const REFERENCE_GAS_PRICE_MIST = 1_000n;
/** Of the sponsor's treasury transactions. */
const OWN_BUDGET_MIST = 600_000_000n;
/** A command takes fewer than 512 arguments. */
const COINS_PER_SPLIT = 500;
const COINS_PER_PAGE = 1_000;

const afterKind = bcs.struct("AfterKind", {
  sender: bcs.Address,
  gasData: bcs.GasData,
  expiration: bcs.TransactionExpiration,
});
type AfterKind = Parameters<typeof afterKind.serialize>[0];

/** Puts a kind into a transaction byte for byte, as the service does once a kind has passed its checks. */
export function wrap(kind: Uint8Array, rest: AfterKind): Uint8Array {
  return Uint8Array.of(TRANSACTION_DATA_V1, ...kind, ...afterKind.serialize(rest).toBytes());
}

export interface CarelessTerms {
  readonly kind: Uint8Array;
  readonly sender: string;
  readonly gasBudgetMist: bigint;
  readonly gasPriceMist?: bigint;
  /** Empty: the sponsor's address balance. */
  readonly payment: readonly ObjectReference[];
}

export interface CarelesslySponsored {
  readonly txBytes: string;
  readonly txDigest: string;
  readonly signature: string;
}

export type CarelessSponsor = Awaited<ReturnType<typeof carelessSponsor>>;

/** A gas station without our checks: it signs whatever it is given. It owns a coin of each amount, and an address balance. */
export async function carelessSponsor(coinsMist: readonly bigint[], addressBalanceMist = 0n) {
  const keypair = new Ed25519Keypair();
  const address = keypair.toSuiAddress();
  await Promise.all(coinsMist.map((amountMist) => giveSui(address, amountMist)));
  if (addressBalanceMist > 0n) await giveToAddressBalance(address, addressBalanceMist);
  const { chainIdentifier: chain } = await sui.core.getChainIdentifier();
  const { epoch: minEpoch } = (await sui.core.getCurrentSystemState()).systemState;
  const maxEpoch = (BigInt(minEpoch) + 1n).toString();
  let nonce = 0;

  function expirationOf(payment: readonly ObjectReference[]): AfterKind["expiration"] {
    if (payment.length > 0) return { Epoch: maxEpoch };
    nonce += 1;
    return { ValidDuring: { minEpoch, maxEpoch, minTimestamp: null, maxTimestamp: null, chain, nonce } };
  }

  async function sponsor(terms: CarelessTerms): Promise<CarelesslySponsored> {
    const { kind, sender, gasBudgetMist: budget, gasPriceMist: price = REFERENCE_GAS_PRICE_MIST, payment } = terms;
    const gasData = { payment: payment.map(referenceOf), owner: address, price, budget };
    const bytes = wrap(kind, { sender, gasData, expiration: expirationOf(payment) });
    const { signature } = await keypair.signTransaction(bytes);
    return { txBytes: toBase64(bytes), txDigest: TransactionDataBuilder.getDigestFromBytes(bytes), signature };
  }

  async function executeOwn(kind: Uint8Array, payment: ObjectReference): Promise<void> {
    const own = await sponsor({ kind, sender: address, gasBudgetMist: OWN_BUDGET_MIST, payment: [payment] });
    const { status } = await submit(own.txBytes, [own.signature]);
    if (!status.success) throw new Error(`the sponsor's own transaction failed: ${status.error?.message}`);
  }

  async function largestCoin(): Promise<Coin> {
    const [largest] = await coinsOf(address);
    if (largest === undefined) throw new Error("the sponsor has no coin");
    return largest;
  }

  return {
    address,
    sponsor,

    /** Makes so many coins of this amount out of its largest, for itself or for somebody else, and answers with them. */
    async splitOff(count: number, amountMist: bigint, recipient = address): Promise<readonly Coin[]> {
      for (let made = 0; made < count; made += COINS_PER_SPLIT) {
        const amounts = Array.from({ length: Math.min(COINS_PER_SPLIT, count - made) }, () => amountMist);
        const kind = await kindOf((transaction) => {
          const { Result } = transaction.splitCoins(transaction.gas, amounts);
          const pieces = amounts.map((_, index) => ({ NestedResult: [Result, index] as [number, number] }));
          transaction.transferObjects(pieces, recipient);
        });
        await executeOwn(kind, await largestCoin());
      }
      return (await coinsOf(recipient)).filter(({ balanceMist }) => balanceMist === amountMist);
    },

    /** Takes a coin to its next version, so that no signature over the one before can execute. */
    async recycle(coin: ObjectReference): Promise<void> {
      const kind = await kindOf((transaction) => {
        transaction.transferObjects([transaction.objectRef(referenceOf(coin))], address);
      });
      await executeOwn(kind, await largestCoin());
    },
  };
}

export function referenceOf({ objectId, version, digest }: ObjectReference): ObjectReference {
  return { objectId, version, digest };
}

/** All SUI coins of an address, the largest first, after all that was executed until now. */
export async function coinsOf(address: string): Promise<readonly Coin[]> {
  await untilAllIsShown();
  const coins: Coin[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof sui.core.listCoins>> = await sui.core.listCoins({
      owner: address,
      limit: COINS_PER_PAGE,
      cursor,
    });
    coins.push(...page.objects.map((coin) => ({ ...referenceOf(coin), balanceMist: BigInt(coin.balance) })));
    if (!page.hasNextPage) return coins;
    cursor = page.cursor;
  }
}

export async function giveToAddressBalance(address: string, amountMist: bigint): Promise<void> {
  await untilShown((await faucetIntoBalance(chainUrl, address, amountMist)).digest);
}
