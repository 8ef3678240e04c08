import type { Deps } from "../bindings/deps.ts";
import type { CreateFund } from "../bindings/fund.ts";
import { done, type Outcome, refuse } from "../errors.ts";
import { isSuiNetwork } from "../networks.ts";
import { DEFAULT_FUND_LIMITS } from "./fund-limits.ts";
import { writeFundRecord } from "./record.ts";
import { SPONSORSHIP_TTL_MS } from "./sui/limits.ts";
import { FUNGIBLE_STORE } from "./views.ts";

/**
 * Checks that a fund of this mode can work on this network.
 *
 * @returns `unsupported_network` for a mode of the other chain, or for an address balance if epochs are too short.
 * `node_unavailable` if no node shows the length of an epoch.
 */
async function checkMode(
  { network, mode }: Pick<CreateFund, "network" | "mode">,
  { suiNode }: Pick<Deps, "suiNode">,
): Promise<Outcome<null>> {
  if (isSuiNetwork(network) === (mode === FUNGIBLE_STORE))
    return refuse("unsupported_network", `a fund on ${network} has no mode ${mode}: leave mode out`);
  if (mode !== "address_balance" || !isSuiNetwork(network)) return done(null);
  // A sponsorship from an address balance lives two epochs at most, and must last an hour.
  const facts = await suiNode(network).chainFacts(0n);
  if (!facts.ok) return facts;
  return facts.value.value.epochDurationMs >= SPONSORSHIP_TTL_MS
    ? done(null)
    : refuse("unsupported_network", "an epoch of this network is shorter than an hour: use mode coin");
}

/**
 * Creates the fund of this storage, unless it exists. Refusals are those of `checkMode`.
 *
 * @param isThere returns true if the fund exists now. Another call may create it during an await.
 */
export async function createFund(
  isThere: () => boolean,
  storage: DurableObjectStorage,
  input: CreateFund,
  deps: Deps,
): Promise<Outcome<null>> {
  if (!isThere()) {
    const suitable = await checkMode(input, deps);
    if (!suitable.ok) return suitable;
  }
  if (!isThere()) writeNewFund(storage, input, deps.clock.nowMs());
  return done(null);
}

/** Writes the record of a new fund. The fund has no key and no rows, and is not paused. */
function writeNewFund(storage: DurableObjectStorage, input: CreateFund, createdAtMs: number): void {
  const limits = { ...DEFAULT_FUND_LIMITS, ...input.limits };
  const state = { pausedCause: null, key: null, seen: null, low: false, storageHigh: false, recovery: null };
  const record = { ...input, ...state, limits, createdAtMs };
  storage.transactionSync(() => writeFundRecord(storage.sql, record));
}
