import type { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import type { ProjectFund, ServiceAccess } from "../client/funds.ts";
import { UnexpectedAnswer } from "../client/http.ts";
import type { LocalDemo } from "../demo-state.ts";
import type { DemoContracts } from "./demo-contracts.ts";
import type { GasCalls } from "./gas-calls.ts";

/** A running service beside its development chain. */
export interface StoryService extends ServiceAccess {
  readonly callerSecret: string;
  /** The workflows use its keys. */
  readonly demo: LocalDemo;
  readonly contracts: DemoContracts;
  /** Moves the clocks of service and chain. Null if another process runs them. */
  readonly advance: ((ms: number) => Promise<void>) | null;
}

/** Shared by all chapters after the first. */
export interface StoryContext {
  readonly stage: StoryService;
  readonly fund: ProjectFund;
  readonly key: string;
  readonly gas: GasCalls;
  readonly user: Ed25519Keypair;
  readonly sender: string;
}

/** Runs and prints a chapter, and returns its cost for the story's fund, MIST. */
export type Chapter = (context: StoryContext) => Promise<bigint>;

/** @throws UnexpectedAnswer with this text if the condition does not hold. */
export function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new UnexpectedAnswer(otherwise);
}
