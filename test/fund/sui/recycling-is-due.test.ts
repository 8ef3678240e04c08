import { expect, test } from "vitest";
import { RECYCLE_GRACE_MS } from "../../../shared/fund/sui/limits.ts";
import { recordNotFound } from "../../../shared/fund/sui/settle.ts";
import type { SuiSponsorship } from "../../../shared/fund/sui/store.ts";
import { MemoryFundStore } from "../../support/fund/memory-sui-store.ts";
import { seen } from "../simulation/rows.ts";

const HOUR_MS = 3_600_000;

function signed(digest: string, createdAtMs: number): SuiSponsorship {
  return {
    digest,
    state: "signed",
    transactionBytes: new Uint8Array(),
    sender: `0x${"0".repeat(64)}`,
    keyId: "key_00000000000000000000",
    gasObjectId: `0x${digest}`,
    gasBudgetAtoms: 5_000_000n,
    feeAtoms: 0n,
    expirationEpoch: 1n,
    sinceCheckpoint: 0n,
    createdAtMs,
    signedAtMs: createdAtMs,
    expiresAtMs: createdAtMs + HOUR_MS,
    chargedAtoms: null,
    rebateAtoms: null,
    maintenanceAtoms: null,
    maxStorageMist: null,
    isReleased: false,
  };
}

test("sponsorships that go on expiring do not put off the recycling of those before them", () => {
  const store = new MemoryFundStore();
  for (let second = 0; second < 60; second++) {
    const sponsorship = signed(`d${second}`, second * 1_000);
    store.putSponsorship(sponsorship);
    const { expiresAtMs } = sponsorship;
    recordNotFound(store, sponsorship.digest, seen(null, { timestampMs: expiresAtMs }), expiresAtMs, "by_schedule");
    expect(store.sponsorship(sponsorship.digest)?.state).toBe("expired");
    expect(store.due.get("recycle ")).toBe(HOUR_MS + RECYCLE_GRACE_MS);
  }
});
