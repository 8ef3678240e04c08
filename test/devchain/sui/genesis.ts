import { toHex } from "@mysten/sui/utils";
import { DEMO_CHILD, DEMO_COUNTER } from "../demo.ts";
import { ALIAS_STATE_ID, ALIAS_STATE_TYPE, AliasState } from "./aliases.ts";
import { BADGE_TYPE, Badge, COUNTER_TYPE, Counter } from "./move/demo-types.ts";
import { type ChainObject, coinContents, GENESIS_TRANSACTION, SUI_COIN_TYPE, withDigest } from "./objects.ts";

/** The whole supply, one coin at genesis. Below 2^63, so that sums of coins fit SQLite's integers. */
export const SUPPLY_MIST = 9_000_000_000n * 1_000_000_000n;
const ID_BYTES = 32;

const FROM_GENESIS = {
  version: 1n,
  previousTransaction: GENESIS_TRANSACTION,
  storageRebate: 0n,
} as const;

/**
 * What is there before the first transaction: the supply, a shared counter, a badge that is the counter's child, and
 * the object below which addresses have their aliases.
 */
export function genesisObjects(faucet: string): ChainObject[] {
  const supplyId = `0x${toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}`;
  return [
    withDigest({
      ...FROM_GENESIS,
      id: supplyId,
      owner: { kind: "address", address: faucet },
      type: SUI_COIN_TYPE,
      hasPublicTransfer: true,
      contents: coinContents(supplyId, SUPPLY_MIST),
    }),
    withDigest({
      ...FROM_GENESIS,
      id: DEMO_COUNTER.objectId,
      owner: { kind: "shared", initialSharedVersion: DEMO_COUNTER.initialSharedVersion },
      type: COUNTER_TYPE,
      hasPublicTransfer: false,
      contents: Counter.serialize({ id: DEMO_COUNTER.objectId, value: 0n }).toBytes(),
    }),
    withDigest({
      ...FROM_GENESIS,
      id: ALIAS_STATE_ID,
      owner: { kind: "shared", initialSharedVersion: FROM_GENESIS.version },
      type: ALIAS_STATE_TYPE,
      hasPublicTransfer: false,
      contents: AliasState.serialize({ id: ALIAS_STATE_ID, version: 0n }).toBytes(),
    }),
    withDigest({
      ...FROM_GENESIS,
      id: DEMO_CHILD,
      owner: { kind: "object", parent: DEMO_COUNTER.objectId },
      type: BADGE_TYPE,
      hasPublicTransfer: true,
      contents: Badge.serialize({ id: DEMO_CHILD, name: "child" }).toBytes(),
    }),
  ];
}
