import type { ChangedObject, SuiExecution } from "../../../shared/chain/sui/execution.ts";
import { settle } from "../../../shared/fund/sui/settle.ts";
import type { SuiSponsorship, SuiTreasuryTransaction } from "../../../shared/fund/sui/store.ts";
import { settleTreasury } from "../../../shared/fund/sui/treasury-settle.ts";
import { isLive } from "./recount.ts";
import { ADDRESS, type FundWorld, OPERATOR, pickOf } from "./sui-world.ts";

type Row = SuiSponsorship | SuiTreasuryTransaction;
/**
 * Alters true effects into some that the signed bytes cannot have; null: not of this row.
 *
 * @param gasVersion the version at which the gas coin went in.
 */
type ByzantineReply = (execution: SuiExecution, row: Row, gasVersion: bigint) => SuiExecution | null;

function withChanged(
  execution: SuiExecution,
  objectId: string | undefined,
  change: (object: ChangedObject) => ChangedObject | null,
): SuiExecution | null {
  if (!execution.changedObjects.some((object) => object.objectId === objectId)) return null;
  const changedObjects = execution.changedObjects.flatMap((object) =>
    object.objectId === objectId ? (change(object) ?? []) : object,
  );
  return { ...execution, changedObjects };
}

/** The gas coin, where it stays one. */
function gasCoinOf({ gasObjectId }: SuiExecution): string | undefined {
  return gasObjectId ?? undefined;
}

function createdBy({ changedObjects }: SuiExecution): string | undefined {
  return changedObjects.find(({ operation }) => operation === "created")?.objectId;
}

function deletedBy({ changedObjects }: SuiExecution): string | undefined {
  return changedObjects.find(({ operation }) => operation === "deleted")?.objectId;
}

function recycledBy(row: Row): string | undefined {
  return "purpose" in row ? row.bumpedCoins[0]?.objectId : undefined;
}

const byzantineReplies: Readonly<Record<string, ByzantineReply>> = {
  "a charge above the budget": (execution, { gasBudgetAtoms: gasBudgetMist }) => ({
    ...execution,
    gasUsed: { ...execution.gasUsed, computationCostMist: gasBudgetMist + execution.gasUsed.storageRebateMist + 1n },
  }),
  "another digest": (execution) => ({ ...execution, digest: "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi" }),
  "a gas coin that did not change": (execution) => withChanged(execution, gasCoinOf(execution), () => null),
  "a gas coin whose version did not rise": (execution, _, version) =>
    withChanged(execution, gasCoinOf(execution), (object) => ({
      ...object,
      output: object.output && { ...object.output, version },
    })),
  "a gas coin that is gone": (execution) =>
    withChanged(execution, gasCoinOf(execution), (object) => ({ ...object, operation: "deleted", output: null })),
  "a gas coin of another object": (execution, { gasObjectId }) =>
    gasObjectId === null || execution.gasObjectId === null ? null : { ...execution, gasObjectId: ADDRESS },
  "a merged coin that is still there": (execution) =>
    withChanged(execution, deletedBy(execution), (object) => ({ ...object, operation: "none" })),
  "a gas coin that nobody put in": (execution, { gasObjectId }) =>
    gasObjectId === null ? { ...execution, gasObjectId: ADDRESS } : null,
  "a swept coin that is still there": (execution, row) =>
    "purpose" in row && row.paysToAddressBalance && execution.success
      ? withChanged(execution, row.gasObjectId ?? undefined, (object) => ({ ...object, operation: "none" }))
      : null,
  "a new coin that is missing": (execution) => withChanged(execution, createdBy(execution), () => null),
  "a new coin that is somebody else's": (execution) =>
    withChanged(execution, createdBy(execution), (object) => ({
      ...object,
      output: object.output && { ...object.output, owner: { kind: "address", address: OPERATOR } },
    })),
  "a recycled coin that stayed where it was": (execution, row) => withChanged(execution, recycledBy(row), () => null),
  "a recycled coin whose version did not rise": (execution, row) =>
    withChanged(execution, recycledBy(row), (object) => ({
      ...object,
      output: object.output && {
        ...object.output,
        version: "purpose" in row ? (row.bumpedCoins[0]?.version ?? 0n) : 0n,
      },
    })),
};

/** An endpoint shows effects of something that is open, and not as they are: in each way in which they can be wrong. */
export function showByzantineReplies(world: FundWorld, pick: number): void {
  const { view, chain, store, nowMs } = world;
  const { sponsorships } = view.rows();
  const open = [...sponsorships.filter(isLive), ...view.store.pendingTreasury()];
  const row = pickOf(
    open.filter(({ digest }) => chain.executed.has(digest)),
    pick,
  );
  const execution = row && chain.executed.get(row.digest)?.execution;
  if (row === undefined || execution === undefined) return;
  const gasVersion = view.store.coin(row.gasObjectId ?? "")?.version ?? 0n;
  for (const [name, alter] of Object.entries(byzantineReplies)) {
    const shown = alter(execution, row, gasVersion);
    if (shown !== null)
      world.disbelieves(name, () => settle(store, shown, nowMs) || settleTreasury(store, shown, ADDRESS, nowMs));
  }
}
