import {
  CHAIN_RESET,
  PAUSED_BY_OPERATOR,
  RECOVERING,
  REVOKED,
  SHORT_EPOCH,
  STATE_BEHIND_CHAIN,
} from "../../shared/fund/views.ts";
import type { Fund } from "./answers.ts";

const CAUSES: Readonly<Record<string, string>> = {
  [PAUSED_BY_OPERATOR]: "an operator has paused it",
  [REVOKED]: "an operator has taken back its signatures",
  [CHAIN_RESET]: "its node is on another chain than the fund. Correct the URL of the node",
  [SHORT_EPOCH]: "its chain's epochs are shorter than an hour, so its signatures would last too long",
  [STATE_BEHIND_CHAIN]: "its records are older than the chain. Recover it",
  [RECOVERING]: "it is recovering, and opens by itself when that is done",
};

/** Explains why a fund sponsors nothing. Null if it is open. */
export function pauseText({ paused, pausedCause }: Pick<Fund, "paused" | "pausedCause">): string | null {
  if (!paused) return null;
  const known = pausedCause !== null && Object.hasOwn(CAUSES, pausedCause) ? CAUSES[pausedCause] : undefined;
  return known ?? `its cause is ${pausedCause ?? "not known"}`;
}

/** Explains the field of the balance below which a fund warns. */
export const LOW_BALANCE_HINT =
  "The overview and webhooks tell you when less than this is available. Leave it empty for no warning.";

/** Writes a network for people: `SUI_TESTNET` → `Sui testnet`. */
export function networkText(network: string): string {
  const [chain = "", net = ""] = network.split("_");
  return `${chain === "SUI" ? "Sui" : "Aptos"} ${net.toLowerCase()}`;
}
