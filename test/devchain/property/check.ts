import { bcs } from "@mysten/sui/bcs";
import type { GrpcTypes, SuiGrpcClient } from "@mysten/sui/grpc";
import { toBase58 } from "@mysten/sui/utils";
import { blake2b } from "@noble/hashes/blake2.js";
import { expect } from "vitest";
import { numberColumn, type Sql, textColumn } from "../sql.ts";

const STORAGE_MIST_PER_BYTE = 7_600n;
/** What an object is charged for beside its type and contents. */
const OBJECT_OVERHEAD_BYTES = 89n;

const READ_MASK = { paths: ["version", "digest", "owner", "bcs", "storage_rebate"] };

/** What a transaction paid that nobody gets back: computation, and the part of deposits that is not refunded. */
export async function keptByChain(client: SuiGrpcClient, digest: string): Promise<bigint> {
  const { response } = await client.ledgerService.getTransaction({ digest, readMask: { paths: ["effects.gas_used"] } });
  const { computationCost = 0n, nonRefundableStorageFee = 0n } = response.transaction?.effects?.gasUsed ?? {};
  return computationCost + nonRefundableStorageFee;
}

/**
 * Reads an executed transaction again and checks all that its effects say against what the node shows of it.
 * Returns what the chain kept of its gas.
 */
export async function checkExecuted(client: SuiGrpcClient, digest: string, seen: Set<string>): Promise<bigint> {
  const { response } = await client.ledgerService.getTransaction({ digest, readMask: { paths: ["*"] } });
  const { effects, transaction, balanceChanges } = response.transaction ?? {};
  if (!effects?.gasUsed || !transaction?.bcs?.value) throw new Error(`${digest} has no effects`);
  const bytes = effects.bcs?.value ?? new Uint8Array();
  expect(hexOf(bcs.TransactionEffects.serialize(bcs.TransactionEffects.parse(bytes)).toBytes())).toBe(hexOf(bytes));
  expect(taggedDigest("TransactionEffects", bytes)).toBe(effects.digest);

  const lamport = effects.lamportVersion ?? 0n;
  expect(lamport).toBe(highestInput(transaction.bcs.value, effects) + 1n);
  const { computationCost = 0n, storageCost = 0n, storageRebate = 0n, nonRefundableStorageFee = 0n } = effects.gasUsed;
  const deposits = { before: 0n, after: 0n };
  for (const change of effects.changedObjects) {
    if (change.accumulatorWrite) continue;
    await checkChange(client, change, lamport, seen, deposits);
  }
  const isFree = computationCost === 0n;
  if (!isFree) expect(storageRebate + nonRefundableStorageFee).toBe(deposits.before);
  if (!isFree && storageCost > 0n) expect(storageCost).toBe(deposits.after);
  const net = computationCost + storageCost - storageRebate;
  const changed = (balanceChanges ?? []).reduce((sum, { amount }) => sum + BigInt(amount ?? 0), 0n);
  expect(changed).toBe(-net);
  return computationCost + nonRefundableStorageFee;
}

async function checkChange(
  client: SuiGrpcClient,
  change: GrpcTypes.ChangedObject,
  lamport: bigint,
  seen: Set<string>,
  deposits: { before: bigint; after: bigint },
): Promise<void> {
  const objectId = change.objectId ?? "";
  const wasCreated = change.idOperation === 2;
  if (wasCreated) expect(seen.has(objectId), `${objectId} was created twice`).toBe(false);
  seen.add(objectId);
  if (change.inputVersion !== undefined) {
    expect(change.inputVersion).toBeLessThan(lamport);
    const before = await read(client, objectId, change.inputVersion);
    expect(before?.digest).toBe(change.inputDigest);
    deposits.before += before?.storageRebate ?? 0n;
  }
  const now = await read(client, objectId);
  if (change.outputVersion === undefined) {
    expect(now).toBeUndefined();
    return;
  }
  expect(change.outputVersion).toBe(lamport);
  expect(now).toMatchObject({ version: lamport, digest: change.outputDigest, owner: change.outputOwner });
  const object = now?.bcs?.value ?? new Uint8Array();
  expect(taggedDigest("Object", object)).toBe(change.outputDigest);
  deposits.after += now?.storageRebate ?? 0n;
  if ((now?.storageRebate ?? 0n) > 0n) expect(now?.storageRebate).toBe(depositOf(object));
}

function depositOf(object: Uint8Array): bigint {
  const { data } = bcs.Object.parse(object);
  if (!data.Move) throw new Error("not a Move object");
  const typeBytes = bcs.MoveObjectType.serialize(data.Move.type).toBytes().length;
  const contents = Uint8Array.from(data.Move.contents).length;
  return STORAGE_MIST_PER_BYTE * (OBJECT_OVERHEAD_BYTES + BigInt(typeBytes + contents));
}

/** The highest version of everything that the transaction names: objects, received ones, gas, shared ones as they were. */
function highestInput(transactionBytes: Uint8Array, effects: GrpcTypes.TransactionEffects): bigint {
  const { kind, gasData } = bcs.TransactionData.parse(transactionBytes).V1;
  const versions = [0n];
  for (const { Object: input } of kind.ProgrammableTransaction?.inputs ?? []) {
    const ref = input?.ImmOrOwnedObject ?? input?.Receiving;
    if (ref) versions.push(BigInt(ref.version));
  }
  for (const { version } of gasData.payment) versions.push(BigInt(version));
  for (const { inputVersion } of effects.changedObjects) versions.push(inputVersion ?? 0n);
  for (const { version } of effects.unchangedConsensusObjects) versions.push(version ?? 0n);
  return versions.reduce((highest, version) => (version > highest ? version : highest));
}

async function read(client: SuiGrpcClient, objectId: string, version?: bigint): Promise<GrpcTypes.Object | undefined> {
  try {
    const request = { objectId, ...(version !== undefined && { version }), readMask: READ_MASK };
    return (await client.ledgerService.getObject(request)).response.object;
  } catch (error) {
    if (error instanceof Error && error.message.endsWith("not found")) return undefined;
    throw error;
  }
}

/** Comparing bytes one by one costs more than all the other checks. */
function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function taggedDigest(name: string, bytes: Uint8Array): string {
  return toBase58(blake2b(new Uint8Array([...new TextEncoder().encode(`${name}::`), ...bytes]), { dkLen: 32 }));
}

/** All SUI there is: in coins, in address balances and in storage deposits. */
export function supplyIn(sql: Sql): bigint {
  const [coins] = sql.exec(
    `SELECT CAST(SUM(-l.negative_balance) AS TEXT) AS coins, CAST(SUM(v.storage_rebate) AS TEXT) AS deposits
      FROM live_objects l JOIN object_versions v ON v.id = l.id AND v.version = l.version`,
  );
  const balances = sql.exec(
    "SELECT CAST(balance AS TEXT) AS balance, MAX(written_in) FROM address_balances GROUP BY address, coin_type",
  );
  if (coins === undefined) throw new Error("no objects");
  const inFunds = balances.reduce((sum, row) => sum + BigInt(textColumn(row, "balance")), 0n);
  return BigInt(textColumn(coins, "coins")) + BigInt(textColumn(coins, "deposits")) + inFunds;
}

/** The ids of all objects that there ever were. */
export function allIds(sql: Sql): string[] {
  return sql.exec("SELECT DISTINCT id FROM object_versions").map((row) => textColumn(row, "id"));
}

/** No object has two versions that are live at once, and none goes back. */
export function expectOneLiveVersion(sql: Sql): void {
  const [row] = sql.exec(
    `SELECT COUNT(*) AS count FROM live_objects l
      WHERE l.version <> (SELECT MAX(version) FROM object_versions v WHERE v.id = l.id)`,
  );
  expect(row && numberColumn(row, "count")).toBe(0);
}
