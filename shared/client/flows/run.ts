import type { Result } from "../../result.ts";
import type { Attempt } from "./attempts.ts";
import { parse } from "./calls.ts";
import { ABORTED, endsAttempt, type FlowError, WALLET_TIMEOUT } from "./errors.ts";
import { MIN_LEFT_MS } from "./limits.ts";
import { type OpenAttempt, openAttempt, type RunContext } from "./open-attempt.ts";
import type { EmbeddedPlan, Expiring, Plan } from "./plan.ts";
import { inTime } from "./ports.ts";
import type { FlowResult } from "./states.ts";

type Run<Executed> = Promise<FlowResult<Executed>>;

/**
 * Runs one attempt to its end, from the state in which an earlier call left it. Asks the user for a signature only
 * after the check. After the signature was sent, the attempt has one transaction until the chain can never execute it
 * any more.
 */
export async function run<Sponsored extends Expiring, Executed>(
  plan: Plan<Sponsored, Executed>,
  context: RunContext<Executed>,
): Run<Executed> {
  const { store, signal, walletMs } = context;
  const own = openAttempt(plan, context);
  const { open, end, isRepeat } = own;
  if (end !== null) return end;
  // The app's transaction may have been built anew after the user signed.
  const reserved = isRepeat && open !== null ? ({ ok: true, value: open } as const) : await reserve(plan, context, own);
  if (!reserved.ok) return reserved;
  let attempt = reserved.value;
  const sponsored = plan.readSponsored(parse(attempt.sponsored));
  if (sponsored === null) return own.refuse("the kept attempt is damaged");

  own.at("checking");
  // The user has signed this transaction after a check of its times. Only its form is checked again.
  const signer = plan.signerOf(attempt.asked);
  const checked = plan.check(sponsored, attempt.asked, isRepeat ? null : store.used(signer));
  if (typeof checked === "string") return own.refuse(checked);
  if (!isRepeat) {
    if (signal.aborted) return ABORTED;
    own.at("signing");
    // A later signature is never kept or sent. The next call asks for its own.
    const signed = await inTime(walletMs, signal, plan.sign(checked), () =>
      signal.aborted ? ABORTED : WALLET_TIMEOUT,
    );
    if (!signed.ok) return signed;
    if (signal.aborted) return ABORTED;
    // Another attempt may have signed it while the wallet was open.
    if (!own.isSigned(attempt) && store.used(signer).includes(checked.id))
      return own.refuse("it is an earlier transaction");
    attempt = own.put({ ...attempt, signature: signed.value, isLost: true });
    store.addUsed(signer, checked.id);
  }
  const { key, signature = "" } = attempt;
  return own.execute(
    attempt,
    () => plan.execute({ sponsored, checked, signature }, key, signal),
    () => plan.isOver(checked),
  );
}

/** Has the request sponsored, or finds the sponsorship of an earlier call that the user has not signed. */
async function reserve<Sponsored extends Expiring, Executed>(
  plan: Plan<Sponsored, Executed>,
  { ports, signal }: RunContext<Executed>,
  own: OpenAttempt<Executed>,
): Promise<Result<Attempt, FlowError>> {
  const { open } = own;
  const built = await own.build();
  if (!built.ok) return built;
  // An open attempt that reaches this point was never sent, so it cannot execute.
  const isSame = open?.asked === built.value;
  const known = isSame && open.sponsored !== undefined ? plan.readSponsored(parse(open.sponsored)) : null;
  if (isSame && known !== null && known.expiresAtMs >= ports.nowMs() + MIN_LEFT_MS) return { ok: true, value: open };
  const attempt = isSame && open.sponsored === undefined ? open : own.begin(built.value);
  own.at("sponsoring");
  const answer = await plan.sponsor(attempt.asked, attempt.key, signal);
  if (answer.ok) return { ok: true, value: own.put({ ...attempt, sponsored: JSON.stringify(answer.value) }) };
  // The key stays after a lost answer, so that the next call gets the same reservation.
  if (endsAttempt(answer.error, false)) own.drop();
  return answer;
}

/** Runs one attempt of a request that the user's embedded wallet signs. Only the service knows its end. */
export async function runEmbedded<Executed>(
  plan: EmbeddedPlan<Executed>,
  context: RunContext<Executed>,
): Run<Executed> {
  const { signal } = context;
  const own = openAttempt(plan, context);
  const { open, end, isRepeat } = own;
  if (end !== null) return end;
  let attempt = isRepeat ? open : null;
  if (attempt === null) {
    const built = await own.build();
    if (!built.ok) return built;
    attempt = open?.asked === built.value ? open : own.begin(built.value);
  }
  const { asked, key } = attempt;
  return own.execute(
    attempt,
    () => plan.execute(asked, key, signal),
    async () => true,
  );
}
