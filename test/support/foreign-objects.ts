import type { SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction, type TransactionArgument } from "@mysten/sui/transactions";
import { DEMO_PACKAGE } from "../devchain/demo.ts";

const SUI_COIN = "0x2::coin::Coin<0x2::sui::SUI>";
const DEMO = `${DEMO_PACKAGE}::demo::DEMO`;
/** Each new coin costs its sender about 0.001 SUI. */
const GAS_MIST = 2_000_000_000n;

/** What one stranger has sent to an address, or left lying on the chain, beside SUI that the address can pay with. */
export interface Foreign {
  readonly partyMist: bigint;
  readonly parcels: number;
  readonly demoInCoins: bigint;
  readonly demoInFunds: bigint;
}

/** Of each kind once: party-owned, frozen, shared, wrapped, another type as a coin, party-owned and in an address balance. */
export const FOREIGN: Foreign = { partyMist: 30_000_001n, parcels: 1, demoInCoins: 12n, demoInFunds: 3n };

/** Sends all kinds of things to an address, as anybody can. */
export async function sendForeign(
  client: SuiGrpcClient,
  faucet: (address: string, amountMist: bigint) => Promise<unknown>,
  address: string,
): Promise<void> {
  await sendAs(client, faucet, (transaction) => {
    const split = (amountMist: bigint) => transaction.splitCoins(transaction.gas, [amountMist]);
    const minted = (value: bigint) =>
      transaction.moveCall({ target: `${DEMO_PACKAGE}::demo::mint_coin`, arguments: [transaction.pure.u64(value)] });
    const toParty = (coin: TransactionArgument, type: string) =>
      transaction.moveCall({
        target: "0x2::transfer::public_party_transfer",
        typeArguments: [type],
        arguments: [
          coin,
          transaction.moveCall({ target: "0x2::party::single_owner", arguments: [transaction.pure.address(address)] }),
        ],
      });
    const give = (name: string, coin: TransactionArgument) =>
      transaction.moveCall({ target: `0x2::transfer::${name}`, typeArguments: [SUI_COIN], arguments: [coin] });
    toParty(split(30_000_000n), SUI_COIN);
    toParty(split(1n), SUI_COIN);
    give("public_freeze_object", split(7_000_000n));
    give("public_share_object", split(8_000_000n));
    const parcel = transaction.moveCall({
      target: `${DEMO_PACKAGE}::demo::wrap_coin`,
      arguments: [split(9_000_000n)],
    });
    transaction.transferObjects([parcel, minted(5n)], address);
    toParty(minted(7n), `0x2::coin::Coin<${DEMO}>`);
    transaction.moveCall({
      target: "0x2::coin::send_funds",
      typeArguments: [DEMO],
      arguments: [minted(3n), transaction.pure.address(address)],
    });
  });
}

/** Coins of 1 MIST each. */
export async function sendDust(
  client: SuiGrpcClient,
  faucet: (address: string, amountMist: bigint) => Promise<unknown>,
  address: string,
  count: number,
): Promise<void> {
  await sendAs(client, faucet, (transaction) => {
    const coins = transaction.splitCoins(
      transaction.gas,
      Array.from({ length: count }, () => 1n),
    );
    const each = Array.from({ length: count }, (_, index) => coins[index]);
    transaction.transferObjects(
      each.flatMap((coin) => coin ?? []),
      address,
    );
  });
}

/** Things of these kinds that an address has, the stock client's word. */
export async function foreignOf(client: SuiGrpcClient, owner: string): Promise<Omit<Foreign, "partyMist">> {
  const parcels = await client.listOwnedObjects({ owner, type: `${DEMO_PACKAGE}::demo::Parcel` });
  const { balance } = await client.getBalance({ owner, coinType: DEMO });
  return {
    parcels: parcels.objects.length,
    demoInCoins: BigInt(balance.coinBalance),
    demoInFunds: BigInt(balance.addressBalance),
  };
}

async function sendAs(
  client: SuiGrpcClient,
  faucet: (address: string, amountMist: bigint) => Promise<unknown>,
  compose: (transaction: Transaction) => void,
): Promise<void> {
  const stranger = new Ed25519Keypair();
  const sender = stranger.toSuiAddress();
  await faucet(sender, GAS_MIST);
  const transaction = new Transaction();
  transaction.setSender(sender);
  compose(transaction);
  const bytes = await transaction.build({ client });
  const { signature } = await stranger.signTransaction(bytes);
  const executed = await client.executeTransaction({ transaction: bytes, signatures: [signature], include: {} });
  if (executed.Transaction === undefined) throw new Error("what a stranger sends failed");
}
