import { answerAlarm, guardWork } from "../durable/alarm.ts";
import type { AccountWatch } from "./account-watch.ts";
import { walletName } from "./context.ts";
import { CONFIRM, type WalletListing } from "./listing.ts";
import { projectOf, type WalletParts } from "./parts.ts";
import type { LoadedWallet } from "./store.ts";

/** Due row: the time of the next allowed export. It is on disk, so that no restart allows a second export. */
export const NEXT_EXPORT = "next_export";
/** Wait until failed work is done again, in ms. */
const RETRY_MS = 15_000;

/** Does the due work of a wallet, and arms the next alarm. What fails is logged, and stops nothing else. */
export async function runWalletAlarm(
  parts: WalletParts,
  listing: WalletListing,
  accounts: AccountWatch,
  read: () => LoadedWallet | null,
): Promise<void> {
  const { due, deps, outbox, name } = parts;
  const logFailure = (error: unknown) => deps.log("wallet.alarm_failed", { wallet: name, error: String(error) });
  const alarm = { due, clock: deps.clock, logFailure };

  await answerAlarm(alarm, async () => {
    if (due.listDue(NEXT_EXPORT, deps.clock.nowMs(), 1).length > 0) due.set(NEXT_EXPORT, "", null);
    const stored = read();
    await guardWork(alarm, { kind: CONFIRM, retryMs: RETRY_MS }, (nowMs) => listing.runDue(stored, nowMs));
    if (stored !== null) await outbox.runDue(walletName(stored.ref), projectOf(parts, stored.ref.projectId));
    await accounts.runDue(stored, deps.clock.nowMs());
  });
}
