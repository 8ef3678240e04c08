import type { SuiGrpcClient } from "@mysten/sui/grpc";
import { Transaction } from "@mysten/sui/transactions";

/** An object that an address owns, as a transaction names it. */
export interface OwnedObject {
  readonly objectId: string;
  readonly version: string;
  readonly digest: string;
  readonly type: string;
  /** Start version of an object that is sequenced by consensus. Null if it is owned in the ordinary way. */
  readonly startVersion: string | null;
}

/** A balance of an address without any object: Sui's address balances. */
export interface HeldBalance {
  readonly coinType: string;
  readonly amount: string;
}

/** The objects and address balances of a wallet. */
export interface Assets {
  readonly objects: readonly OwnedObject[];
  readonly balances: readonly HeldBalance[];
}

const PAGE = 50;

/** Lists everything that an address owns, all pages. Contents of an object or a kiosk move with it. */
export async function assetsOf(client: SuiGrpcClient, owner: string): Promise<Assets> {
  const objects: OwnedObject[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof client.listOwnedObjects>> = await client.listOwnedObjects({
      owner,
      limit: PAGE,
      cursor,
    });
    for (const { objectId, version, digest, type, owner: ownedBy } of page.objects) {
      const startVersion =
        ownedBy.$kind === "ConsensusAddressOwner" ? ownedBy.ConsensusAddressOwner.startVersion : null;
      objects.push({ objectId, version, digest, type, startVersion });
    }
    if (!page.hasNextPage) break;
    cursor = page.cursor;
  }
  const balances: HeldBalance[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof client.listBalances>> = await client.listBalances({
      owner,
      limit: PAGE,
      cursor,
    });
    for (const { coinType, addressBalance } of page.balances)
      if (BigInt(addressBalance) > 0n) balances.push({ coinType, amount: addressBalance });
    if (!page.hasNextPage) break;
    cursor = page.cursor;
  }
  return { objects, balances };
}

/** Builds the BCS of the kind that gives the assets to another address. No node is called. */
export function kindThatMoves({ objects, balances }: Assets, to: string): Promise<Uint8Array> {
  const tx = new Transaction();
  const moved = objects.map(({ startVersion, ...ref }) =>
    startVersion === null
      ? tx.objectRef(ref)
      : tx.sharedObjectRef({ objectId: ref.objectId, initialSharedVersion: startVersion, mutable: true }),
  );
  if (moved.length > 0) tx.transferObjects(moved, to);
  for (const { coinType, amount } of balances) {
    const typeArguments = [coinType];
    const held = tx.moveCall({
      target: "0x2::balance::redeem_funds",
      typeArguments,
      arguments: [tx.withdrawal({ amount, type: coinType })],
    });
    tx.moveCall({
      target: "0x2::balance::send_funds",
      typeArguments,
      arguments: [held, tx.pure.address(to)],
    });
  }
  return tx.build({ onlyTransactionKind: true });
}

/**
 * Checks on the chain whether a transaction has moved its assets.
 *
 * @returns the assets that are not at the new address, in words; `failed` if it was executed and moved nothing;
 *   `not_shown` if the node does not know it.
 */
export async function verifyMove(
  client: SuiGrpcClient,
  digest: string,
  { objectIds, balances, to }: { objectIds: readonly string[]; balances: readonly HeldBalance[]; to: string },
): Promise<readonly string[] | "failed" | "not_shown"> {
  const found = await client.getTransaction({ digest, include: { effects: true, balanceChanges: true } }).catch(absent);
  if (found === null) return "not_shown";
  const transaction = found.Transaction ?? null;
  if (transaction === null) return "failed";
  const received = new Map(
    transaction.effects.changedObjects.map(({ objectId, outputOwner }) => [objectId, outputOwner] as const),
  );
  const missingObjects = objectIds.filter((id) => {
    const owner = received.get(id);
    return owner?.AddressOwner !== to && owner?.ConsensusAddressOwner?.owner !== to;
  });
  const missingBalances = balances.filter(
    ({ coinType, amount }) =>
      !transaction.balanceChanges.some(
        (change) =>
          change.address === to && sameType(change.coinType, coinType) && BigInt(change.amount) >= BigInt(amount),
      ),
  );
  return [...missingObjects, ...missingBalances.map(({ coinType, amount }) => `${amount} of ${coinType}`)];
}

/** Compares types. Nodes write the same address in types short and long. */
function sameType(a: string, b: string): boolean {
  const short = (type: string) => type.replace(/0x0+(?=[0-9a-f])/g, "0x");
  return short(a) === short(b);
}

/** Returns null only if a node has answered that it does not know the digest. The client wraps that answer. */
function absent(error: unknown): null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && cause.code === "NOT_FOUND") return null;
  throw error;
}
