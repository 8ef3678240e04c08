import type { Deps } from "../bindings/deps.ts";
import { DIRECTORY_NAME } from "../bindings/directory.ts";
import type { Env } from "../bindings/env.ts";
import { missingMethodOf } from "../durable/missing-method.ts";
import { isStorageFull } from "../durable/storage-budget.ts";
import { refusalOfMoved } from "../durable/transfer/moved.ts";
import type { Network } from "../networks.ts";
import { everyItem } from "../paging.ts";
import { inTime } from "../timing.ts";
import { OVERDUE_MS, type ServiceReport } from "./service-report.ts";

const PAGE_LIMIT = 100;
/**
 * The free plan of Cloudflare allows 50 calls a run, and the paid one 1,000. The report after these calls stands if the
 * run ends there. A platform without such a limit gets a whole report later in the run.
 */
const REPORTS_AFTER_CALLS: readonly number[] = [45, 990];
/** An object that takes longer counts as unreadable. Otherwise one that hangs would end all rounds. */
const ANSWER_AWAITED_MS = 20_000;

type RoundDeps = Pick<Deps, "log" | "randomBytes">;

interface FundOfProject {
  readonly fundId: string;
  readonly projectId: string;
}

/** Counts of one round, while it is under way. */
class RoundCounts {
  readonly networks = new Set<Network>();
  projects = 0;
  funds = 0;
  unreadable = 0;
  storageFull = 0;
  overdue = 0;

  add(isFull: boolean, lateMs: number): void {
    if (isFull) this.storageFull += 1;
    if (lateMs > OVERDUE_MS) this.overdue += 1;
  }

  /**
   * A project that has moved to another service answers no more. An object of an earlier build lacks a method for the
   * seconds of a roll-out. Neither is a failure.
   */
  addFailure(error: unknown): void {
    if (refusalOfMoved(error) === null && missingMethodOf(error) === null) this.unreadable += 1;
  }

  report(): ServiceReport {
    const { networks, projects, funds, unreadable, storageFull, overdue } = this;
    return { networks: [...networks], projects, funds, unreadable, storageFull, overdue };
  }
}

/** Stores reports of one round. It counts the calls of the run, because a platform may end the run after so many. */
class RoundReports {
  readonly #env: Env;
  readonly #deps: RoundDeps;
  readonly #counts: RoundCounts;
  #calls = 0;

  constructor(env: Env, deps: RoundDeps, counts: RoundCounts) {
    this.#env = env;
    this.#deps = deps;
    this.#counts = counts;
  }

  /**
   * Makes a call. Before the calls of a plan are used up, the round so far is reported as cut.
   *
   * @throws also if there is no answer in time.
   */
  async counted<T>(call: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    if (REPORTS_AFTER_CALLS.includes(this.#calls)) {
      this.#calls += 1;
      await this.store({ ...this.#counts.report(), isCut: true });
    }
    const answer = await inTime(
      ANSWER_AWAITED_MS,
      call().then((value) => ({ value })),
    );
    if (answer === null) throw new Error(`no answer within ${ANSWER_AWAITED_MS / 1_000} s`);
    return answer.value;
  }

  async store(report: ServiceReport): Promise<void> {
    try {
      await this.#env.DIRECTORY.getByName(DIRECTORY_NAME).takeReport(report);
    } catch (error) {
      this.#deps.log("service.report_failed", { error: String(error) });
    }
  }
}

/** Lists every fund of every project. A project that cannot be read is logged, and does not hide the others. */
async function allFunds(
  env: Env,
  deps: RoundDeps,
  counts: RoundCounts,
  reports: RoundReports,
): Promise<readonly FundOfProject[]> {
  const directory = env.DIRECTORY.getByName(DIRECTORY_NAME);
  const funds: FundOfProject[] = [];
  for await (const projectId of everyItem((cursor) =>
    reports.counted(() => directory.projects({ limit: PAGE_LIMIT, cursor })),
  )) {
    counts.projects += 1;
    try {
      const owner = env.PROJECT.getByName(projectId);
      for await (const fundId of everyItem((cursor) =>
        reports.counted(() => owner.resources("fund", { limit: PAGE_LIMIT, cursor })),
      ))
        funds.push({ fundId, projectId });
      const metrics = await reports.counted(() => owner.metrics());
      for (const network of metrics?.networks ?? []) counts.networks.add(network);
      counts.add(metrics?.storage.isFull === true, metrics?.lateMs ?? 0);
    } catch (error) {
      counts.addFailure(error);
      deps.log("project.check_failed", { project: projectId, error: String(error) });
    }
  }
  return funds;
}

/**
 * Starts the list at a random item, so that another fund is the first each time. A platform ends a run that makes too
 * many calls, wherever it stands.
 */
function inTurn<Item>(items: readonly Item[], { randomBytes }: Pick<Deps, "randomBytes">): readonly Item[] {
  const [random = 0] = new Uint32Array(Uint8Array.from(randomBytes(Uint32Array.BYTES_PER_ELEMENT)).buffer);
  const first = random % Math.max(items.length, 1);
  return [...items.slice(first), ...items.slice(0, first)];
}

/**
 * Has every fund check itself. That also arms what an alarm may have lost, and logs the state of each fund. A fund that
 * fails is logged, and the others are still checked. At the end the directory gets the counts, and checks the nodes. It
 * also gets the counts so far before a platform may end the run. The crons and the directory's alarm call it.
 */
export async function runServiceRound(env: Env, deps: RoundDeps): Promise<void> {
  const counts = new RoundCounts();
  const reports = new RoundReports(env, deps, counts);
  for (const { fundId, projectId } of inTurn(await allFunds(env, deps, counts, reports), deps)) {
    try {
      counts.funds += 1;
      const fund = await reports.counted(() => env.FUND.getByName(fundId).check());
      if (fund === null) continue;
      counts.add(fund.storage !== undefined && isStorageFull(fund.storage), fund.lateMs ?? 0);
      deps.log("fund.balance", {
        fund: fund.fundId,
        project: fund.projectId,
        network: fund.network,
        balanceAtoms: fund.balanceAtoms.toString(),
        inFlightAtoms: fund.inFlightAtoms.toString(),
        paused: fund.pausedCause,
      });
    } catch (error) {
      counts.addFailure(error);
      deps.log("fund.check_failed", { fund: fundId, project: projectId, error: String(error) });
    }
  }
  await reports.store(counts.report());
}
