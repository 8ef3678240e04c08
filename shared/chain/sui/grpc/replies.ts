import type { GrpcTypes } from "@mysten/sui/grpc";
import { InvalidReplyError } from "../../failover.ts";
import { seenIn } from "../../one-reply.ts";
import type { CoinVersion, ObservedCoin, SuiCoin } from "../coins.ts";
import type { OwnedObject, TypeBalance } from "../listing.ts";
import type { Balances, DryRun, FactsReading } from "../node.ts";
import type { SuiLedgerState } from "../seen.ts";
import { readBalanceChange, readKnownOwner } from "./execution.ts";
import { digestOf, objectId, readGasUsed, readStatus, readTimestampMs, required, safeNumber } from "./fields.ts";

/** The most balance changes of a simulation. An app's transaction moves a few coins of a few people. */
const MAX_BALANCE_CHANGES = 256;

/** The shortest epoch of a network that allows sponsorships. The bound also protects a division. */
const MIN_EPOCH_DURATION_MS = 1_000;

/** Reads the base58 genesis digest of an endpoint's chain. */
export function readChainIdentifier({ chainId }: GrpcTypes.GetServiceInfoResponse): string {
  return digestOf(chainId, "chain_id");
}

/**
 * Reads the facts of an epoch.
 *
 * @param state the chain at the endpoint's other reply to the same question.
 * @throws InvalidReplyError if one is missing or implausible.
 */
export function readFacts(
  state: SuiLedgerState,
  { epoch }: GrpcTypes.GetEpochResponse,
  fetchedAtMs: number,
): FactsReading {
  const { systemState, start } = required(epoch, "epoch");
  const epochDurationMs = safeNumber(
    required(systemState?.parameters?.epochDurationMs, "epoch_duration_ms"),
    "epoch_duration_ms",
  );
  if (epochDurationMs < MIN_EPOCH_DURATION_MS)
    throw new InvalidReplyError("the node's reply has an absurd epoch_duration_ms");
  const startMs = systemState?.epochStartTimestampMs;
  return seenIn(
    { ...state, epoch: required(epoch?.epoch, "epoch") },
    {
      epochStartMs: start ? readTimestampMs(start) : safeNumber(required(startMs, "epoch start"), "epoch start"),
      epochDurationMs,
      referenceGasPriceMist: required(epoch?.referenceGasPrice, "reference_gas_price"),
      fetchedAtMs,
    },
  );
}

function readCoinVersion(object: GrpcTypes.Object): CoinVersion {
  return {
    objectId: objectId(object.objectId, "object_id"),
    version: required(object.version, "version"),
    digest: digestOf(object.digest, "digest"),
    balanceMist: required(object.balance, "balance"),
  };
}

/**
 * Reads one coin of an address' listing.
 *
 * @returns none if it has another owner: a coin may move between the index and the object that a node reads.
 */
export function readCoin(object: GrpcTypes.Object, address: string): readonly SuiCoin[] {
  const coin = readCoinVersion(object);
  const owner = readKnownOwner(object.owner);
  const isListedOwner = owner.kind === "address" || owner.kind === "consensus";
  return isListedOwner && owner.address === address ? [{ ...coin, owner }] : [];
}

/** Type names are ASCII (`move-core-types`, `identifier.rs`). */
function typeName(value: string | undefined, name: string): string {
  const type = required(value, name);
  if (!/^[\x20-\x7e]+$/.test(type)) throw new InvalidReplyError(`the node's reply has a malformed ${name}`);
  return type;
}

/** Reads one object of an address' listing. @returns none as `readCoin`. */
export function readOwnedObject(object: GrpcTypes.Object, address: string): readonly OwnedObject[] {
  const owner = readKnownOwner(object.owner);
  if ((owner.kind !== "address" && owner.kind !== "consensus") || owner.address !== address) return [];
  return [
    {
      objectId: objectId(object.objectId, "object_id"),
      objectType: typeName(object.objectType, "object_type"),
      owner,
      balanceAtoms: object.balance ?? null,
    },
  ];
}

/** Reads one balance of an address' listing. A node without the parts of a balance shows no address balances. */
export function readTypeBalance(balance: GrpcTypes.Balance): TypeBalance {
  const { addressBalanceMist: addressBalanceAtoms } = readBalance(balance);
  return { coinType: typeName(balance.coinType, "coin_type"), addressBalanceAtoms: addressBalanceAtoms ?? 0n };
}

/** Reads a coin with its owner and its last writer. @throws InvalidReplyError if a field is missing. */
export function readObservedCoin(object: GrpcTypes.Object): ObservedCoin {
  return {
    ...readCoinVersion(object),
    owner: readKnownOwner(object.owner),
    previousTransaction: digestOf(object.previousTransaction, "previous_transaction"),
  };
}

/**
 * Reads the SUI of an address. A node omits a part that is zero, and both parts if the sum is zero (`sui-rpc-api`,
 * `get_balance.rs`). So a missing part follows from the others. Older nodes do not know the parts.
 */
export function readBalance(
  given: GrpcTypes.Balance | undefined,
): Pick<Balances, "coinBalanceMist" | "addressBalanceMist"> {
  const { balance: sum, coinBalance, addressBalance } = required(given, "balance");
  if (coinBalance !== undefined && addressBalance !== undefined)
    return { coinBalanceMist: coinBalance, addressBalanceMist: addressBalance };
  const sumMist = required(sum, "balance");
  const restMist = sumMist - (coinBalance ?? addressBalance ?? 0n);
  if (restMist < 0n) throw new InvalidReplyError("the node's reply has a balance below its part");
  if (coinBalance !== undefined) return { coinBalanceMist: coinBalance, addressBalanceMist: restMist };
  if (addressBalance !== undefined) return { coinBalanceMist: restMist, addressBalanceMist: addressBalance };
  return { coinBalanceMist: sumMist, addressBalanceMist: sumMist === 0n ? 0n : null };
}

/** Reads a simulated transaction. If it has more than 256 balance changes, they are null. */
export function readDryRun({ transaction }: GrpcTypes.SimulateTransactionResponse): DryRun {
  const effects = required(transaction?.effects, "effects");
  const changes = transaction?.balanceChanges ?? [];
  // The payer of gas has a change, unless another address gave it the same amount. If the list is empty, the node gives
  // no changes.
  const areTold = changes.length > 0 && changes.length <= MAX_BALANCE_CHANGES;
  const balanceChanges = areTold ? changes.map(readBalanceChange) : null;
  return { ...readStatus(effects.status), gasUsed: readGasUsed(effects.gasUsed), balanceChanges };
}
