import type { Result } from "../../result.ts";
import type { Attempt } from "./attempts.ts";
import { parse } from "./calls.ts";
import { ABORTED, abortedAfter, endsAttempt, type FlowError, failed } from "./errors.ts";
import { MIN_LEFT_MS } from "./limits.ts";
import { OpenAttempt, type RunContext } from "./open-attempt.ts";
import type { EmbeddedPlan, Expiring, Plan } from "./plan.ts";

type Run<Executed> = Promise<Result<Executed, FlowError>>;

/**
 * Runs one attempt to its end, from wherever an earlier call left it. It asks the user for a signature only after the
 * check. Once the user has signed, the attempt has one transaction, whatever happens.
 */
export async function run<Sponsored extends Expiring, Checked, Executed>(
  plan: Plan<Sponsored, Checked, Executed>,
  context: RunContext<Executed>,
): Run<Executed> {
  const { store, signal } = context;
  const own = new OpenAttempt(plan, context);
  const { open, end } = own.find();
  if (end !== null) return end;
  const reserved = open?.signature === undefined ? await reserve(plan, context, own, open) : signedBefore(plan, open);
  if (!reserved.ok) return reserved;
  let { attempt } = reserved.value;
  const { sponsored } = reserved.value;

  own.at("checking");
  // The user has seen a signed transaction within the bounds of its time. Only its form is checked again.
  const signer = plan.signerOf(attempt.asked);
  const checked = await plan.check(
    sponsored,
    attempt.asked,
    attempt.signature === undefined ? store.used(signer) : null,
  );
  const refuse = (difference: string) => {
    if (attempt.isLost !== true) own.drop();
    return failed("not_what_was_asked", difference, {
      mayHaveExecuted: attempt.isLost === true,
    });
  };
  if (typeof checked === "string") return refuse(checked);
  if (attempt.signature === undefined) {
    if (signal.aborted) return ABORTED;
    own.at("signing");
    const signed = await plan.sign(checked, signal);
    if (!signed.ok) return signed;
    const transaction = plan.transactionOf(checked);
    // Another attempt may have signed it while the wallet was open.
    if (!own.isSigned(attempt) && store.used(signer).includes(transaction))
      return refuse("it is an earlier transaction");
    attempt = own.put({ ...attempt, signature: signed.value });
    store.addUsed(signer, transaction);
  }
  const { signature = "" } = attempt;
  if (signal.aborted) return abortedAfter(attempt.isLost === true);

  own.at("executing");
  const wasLost = attempt.isLost === true;
  // The attempt counts as lost before the call is sent, because the page may end at any time.
  attempt = own.put({ ...attempt, isLost: true });
  const executed = await plan.execute({ sponsored, checked, signature }, attempt.key, signal);
  return own.settle(attempt, executed, wasLost);
}

interface Reserved<Sponsored> {
  readonly attempt: Attempt;
  readonly sponsored: Sponsored;
}

/** Has the request sponsored, or finds the sponsorship of an earlier call that the user has not signed. */
async function reserve<Sponsored extends Expiring, Checked, Executed>(
  plan: Plan<Sponsored, Checked, Executed>,
  { ports, signal }: RunContext<Executed>,
  own: OpenAttempt<Executed>,
  open: Attempt | null,
): Promise<Result<Reserved<Sponsored>, FlowError>> {
  const built = await own.build();
  if (!built.ok) return built;
  if (signal.aborted) return ABORTED;
  // Nobody has signed an open attempt that comes here, so nobody can execute it.
  const isSame = open?.asked === built.value;
  const known = isSame && open.sponsored !== undefined ? plan.readSponsored(parse(open.sponsored)) : null;
  if (isSame && known !== null && known.expiresAtMs >= ports.nowMs() + MIN_LEFT_MS)
    return { ok: true, value: { attempt: open, sponsored: known } };
  const attempt = isSame && open.sponsored === undefined ? open : own.begin(built.value);
  own.at("sponsoring");
  const answer = await plan.sponsor(attempt.asked, attempt.key, signal);
  if (answer.ok) {
    const sponsored = JSON.stringify(answer.value);
    return { ok: true, value: { attempt: own.put({ ...attempt, sponsored }), sponsored: answer.value } };
  }
  // After a lost answer the key stays, so that the next call gets the same reservation.
  if (endsAttempt(answer.error, false)) own.drop();
  return answer;
}

/** Goes on with an attempt that the user has signed. The app's transaction may have been built anew since. */
function signedBefore<Sponsored extends Expiring, Checked, Executed>(
  plan: Plan<Sponsored, Checked, Executed>,
  attempt: Attempt,
): Result<Reserved<Sponsored>, FlowError> {
  const sponsored = plan.readSponsored(parse(attempt.sponsored));
  const mayHaveExecuted = attempt.isLost === true;
  if (sponsored === null) return failed("not_what_was_asked", "the kept attempt is damaged", { mayHaveExecuted });
  return { ok: true, value: { attempt, sponsored } };
}

/** Runs one attempt of a request that the user's embedded wallet signs. */
export async function runEmbedded<Executed>(
  plan: EmbeddedPlan<Executed>,
  context: RunContext<Executed>,
): Run<Executed> {
  const own = new OpenAttempt(plan, context);
  const { open, end } = own.find();
  if (end !== null) return end;
  let attempt = open?.isLost === true ? open : null;
  if (attempt === null) {
    const built = await own.build();
    if (!built.ok) return built;
    attempt = open?.asked === built.value ? open : own.begin(built.value);
  }
  if (context.signal.aborted) return abortedAfter(attempt.isLost === true);
  own.at("executing");
  const wasLost = attempt.isLost === true;
  attempt = own.put({ ...attempt, isLost: true });
  const executed = await plan.execute(attempt.asked, attempt.key, context.signal);
  return own.settle(attempt, executed, wasLost);
}
