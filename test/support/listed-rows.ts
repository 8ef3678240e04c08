import type { SuiSponsorship } from "../../shared/fund/sui/store.ts";

/** A sponsorship on Sui that has completed, as a list shows it. */
export function listedSponsorship(digest: string, createdAtMs: number): SuiSponsorship {
  return {
    digest,
    state: "complete",
    sender: `0x${"5".repeat(64)}`,
    keyId: `key_${"5".repeat(20)}`,
    transactionBytes: new Uint8Array(),
    gasObjectId: null,
    gasBudgetAtoms: 1_000n,
    expirationEpoch: 5n,
    sinceCheckpoint: null,
    maxStorageMist: null,
    isReleased: false,
    createdAtMs,
    signedAtMs: createdAtMs,
    expiresAtMs: createdAtMs + 3_600_000,
    feeAtoms: 1n,
    chargedAtoms: 700n,
    rebateAtoms: 100n,
    maintenanceAtoms: null,
  };
}
