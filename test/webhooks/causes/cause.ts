import type { EventType } from "../../../shared/observe/events.ts";
import { give } from "../../support/sui-chain.ts";
import { liveFor, newFundWith, SECOND_MS, stub, type TestFund } from "../../support/sui-fund.ts";
import { bindings, newProject } from "../../support/webhooks.ts";

/** Stays in the address balance, and is not available. */
export const RESERVE_MIST = 10_000_000n;

/** One event as its receivers get it. */
export interface Told {
  readonly type: EventType;
  readonly data: object;
}

/** Makes the webhooks of a project listen. */
export type Listen = (projectId: string) => Promise<unknown>;

/** What raises events of some types, in the real objects. */
export interface Cause {
  readonly types: readonly EventType[];
  /** Has it happen, more than once if that must raise nothing more. @returns what receivers hear, in any order. */
  readonly happen: (listen: Listen) => Promise<readonly Told[]>;
}

/** A fund that its project lists, with a deposit in it; both as of before anybody listens. */
export async function newListedFund(
  availableMist: bigint,
  lowBalanceAtoms: bigint | null = null,
): Promise<[string, TestFund]> {
  const projectId = await newProject();
  const fund = await newFundWith({ projectId, mode: "address_balance", lowBalanceAtoms });
  const entry = { action: "test", target: fund.id, detailJson: "{}" };
  await bindings.PROJECT.getByName(projectId).addResource(
    { kind: "fund", id: fund.id, network: "SUI_LOCALNET" },
    entry,
  );
  await deposit(fund, RESERVE_MIST + availableMist);
  return [projectId, fund];
}

/** Pays into a fund's address balance, and has the fund look. */
export async function deposit(fund: TestFund, amountMist: bigint): Promise<void> {
  await give(fund.address, amountMist, "address_balance");
  await stub(fund).refresh();
}

/** Lets the fund hand over what it has raised. */
export async function handOver(fund: TestFund): Promise<void> {
  await liveFor(fund, SECOND_MS);
}
