import { bcs } from "@mysten/sui/bcs";
import { DRY_RUN_BUDGET_MIST } from "../chain/sui/limits.ts";
import { signTransaction, transactionDigest, wrapKind } from "../chain/sui/transaction.ts";
import { automaticBudgetMist } from "../fund/budget.ts";
import type { OwnTransaction } from "../fund/coin-store.ts";
import { COUNT_LENT_LIMIT, GAS_PER_COIN_MIST, planSplit, type SplitPlan } from "../fund/refill-plan.ts";
import {
  beginSplit,
  expirationEpoch,
  type OwnTransactionDraft,
  recordOwnMiss,
  releaseDead,
  settleSplit,
} from "../fund/sui-fund.ts";
import type { FundCore } from "./fund-core.ts";

/** Keeps pool coins ahead of need by splitting the fund's large coins, one own transaction at a time. */
export class FundPool {
  readonly #core: FundCore;
  /** Budgets of the calls that wait for a coin. */
  readonly waiting = new Set<{ readonly budgetMist: bigint }>();
  #refilling: Promise<boolean> | null = null;

  constructor(core: FundCore) {
    this.#core = core;
  }

  /** Splits once, for all who ask meanwhile. True when new coins have joined the pool. */
  refill(): Promise<boolean> {
    this.#refilling ??= this.#splitOnce()
      .catch((error: unknown) => {
        this.#core.deps.log("fund.split_failed", { fund: this.#core.record.fundId, error: String(error) });
        return false;
      })
      .finally(() => {
        this.#refilling = null;
      });
    return this.#refilling;
  }

  async #splitOnce(): Promise<boolean> {
    const core = this.#core;
    const { address } = core;
    if (address === null) return false;
    const plan = planSplit(core.store, {
      waitingBudgetsMist: Array.from(this.waiting, ({ budgetMist }) => budgetMist),
      lentCount: core.store.countLent(COUNT_LENT_LIMIT),
      gasPerCoinMist: GAS_PER_COIN_MIST,
    });
    if (plan === null) return false;
    const draft = await this.#draft(plan, address);
    if (draft === null || !core.commit(() => beginSplit(core.store, plan, draft, core.nowMs()))) return false;
    return this.submit(draft.digest);
  }

  async #draft({ source, splitMist }: SplitPlan, address: string): Promise<OwnTransactionDraft | null> {
    await this.#core.signer();
    const facts = await this.#core.factsForSigning();
    if (!facts.ok) return null;
    const priceMist = facts.value.referenceGasPriceMist;
    const validUntilEpoch = expirationEpoch(facts.value);
    const kind = splitKind(splitMist, address);
    const gas = { owner: address, priceMist };
    const dryRun = await this.#core.node.dryRun(
      wrapKind(kind, address, { ...gas, payment: [], budgetMist: DRY_RUN_BUDGET_MIST }, validUntilEpoch),
    );
    if (!dryRun.ok || !dryRun.value.success) return null;
    const budgetMist = automaticBudgetMist(dryRun.value.gasUsed, priceMist, false);
    const neededMist = splitMist.reduce((sum, amountMist) => sum + amountMist, budgetMist);
    if (neededMist > source.balanceMist) return null;
    const transactionBytes = wrapKind(kind, address, { ...gas, payment: [source], budgetMist }, validUntilEpoch);
    return { transactionBytes, digest: transactionDigest(transactionBytes), expirationEpoch: validUntilEpoch };
  }

  /** Sends a journaled transaction, for the first time or again: the same bytes, so at most one execution. */
  async submit(digest: string): Promise<boolean> {
    const core = this.#core;
    const { address } = core;
    const transaction = core.store.ownTransaction(digest);
    if (address === null || transaction === null || transaction.state !== "pending") return false;
    await core.durable();
    const signature = await signTransaction(await core.signer(), transaction.transactionBytes);
    const outcome = await core.node.submit(transaction.transactionBytes, [signature], digest);
    if (outcome.kind === "executed") {
      const booked = core.commit(() => settleSplit(core.store, outcome.execution, address, core.nowMs()));
      if (!booked) {
        core.deps.log("fund.effects_refused", { fund: core.record.fundId, digest });
        core.commit(() => recordOwnMiss(core.store, digest, core.nowMs()));
      }
      return booked && outcome.execution.success;
    }
    core.deps.log("fund.split_unsettled", {
      fund: core.record.fundId,
      digest,
      outcome: outcome.kind,
      text: outcome.text,
    });
    if (outcome.kind === "refused" && (await this.#provedDead(transaction))) return false;
    core.commit(() => recordOwnMiss(core.store, digest, core.nowMs()));
    return false;
  }

  /** A refused transaction is over once its source is seen at a higher version that another digest wrote. */
  async #provedDead({ digest, gasObjectId }: OwnTransaction): Promise<boolean> {
    const core = this.#core;
    const facts = await core.refreshFacts();
    const coins = await core.node.observeCoins([gasObjectId]);
    const looked = await core.node.lookUp([digest], "settlement");
    if (!facts.ok || !coins.ok || !looked.ok || looked.value.findings[0] !== null) return false;
    const { epoch, epochStartMs } = facts.value;
    const evidence = { coins: coins.value, epoch, epochStartMs, checkpointTimeMs: looked.value.checkpointTimeMs };
    return core.commit(() => releaseDead(core.store, digest, evidence, core.nowMs()));
  }
}

/** SplitCoins(GasCoin, amounts) and TransferObjects to the fund itself; equal amounts share one input. */
function splitKind(splitMist: readonly bigint[], address: string): Uint8Array {
  const distinct = [...new Set(splitMist)];
  const amounts = splitMist.map((amountMist) => ({ Input: distinct.indexOf(amountMist) + 1 }));
  return bcs.TransactionKind.serialize({
    ProgrammableTransaction: {
      inputs: [
        { Pure: { bytes: bcs.Address.serialize(address).toBytes() } },
        ...distinct.map((amountMist) => ({ Pure: { bytes: bcs.u64().serialize(amountMist).toBytes() } })),
      ],
      commands: [
        { SplitCoins: { coin: { GasCoin: true }, amounts } },
        {
          TransferObjects: {
            objects: splitMist.map((_, index) => ({ NestedResult: [0, index] as [number, number] })),
            address: { Input: 0 },
          },
        },
      ],
    },
  }).toBytes();
}
