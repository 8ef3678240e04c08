import { coinDigits } from "../../../shared/coin-text.ts";
import { DECIMAL_U64 } from "../../../shared/decimal-u64.ts";
import type { Problem } from "../../../shared/http/problem.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Fund } from "../answers.ts";
import { amountFault, atomsOfText, coinName } from "../parts/amount-text.ts";
import { type DashboardPage, page, type Reply, type Visit } from "../visit.ts";
import { fundOf } from "./open.ts";
import { findReceiver } from "./receiver.ts";
import {
  gasOf,
  isWholeAddress,
  ReviewPage,
  type Withdrawal,
  WithdrawnPage,
  WithdrawPage,
  withdrawableOf,
  withdrawalOfForm,
} from "./withdraw-page.tsx";

/** The API refuses a withdrawal with this status if a recovery came between, or if the key has another payment. */
const CONFLICT = 409;

function ask(visit: Visit, fund: Fund, problem: Parameters<typeof WithdrawPage>[0]["problem"]): Reply {
  const status = problem?.status ?? 200;
  return page(`Withdraw from ${fund.name}`, <WithdrawPage visit={visit} fund={fund} problem={problem} />, status);
}

/** Returns the fault of a typed amount. Null if the books show that it can be sent. */
export function amountProblem(fund: Fund, from: Withdrawal["from"], atoms: bigint | null): string | null {
  const chain = chainOf(fund.network);
  if (atoms === null || atoms === 0n) return amountFault(chain);
  const most = withdrawableOf(fund, from);
  if (atoms <= most) return null;
  const coin = coinName(chain);
  const later = from === "fees" ? "" : ". A new deposit counts within a minute";
  if (most === 0n && BigInt(from === "fees" ? fund.accruedFees : fund.available) > 0n)
    return `cannot be sent: the gas, about ${coinDigits(chain, gasOf(fund))} ${coin}, would take all of it${later}`;
  return `must be at most ${coinDigits(chain, most)} ${coin}, which is all that can be sent now${later}`;
}

/** Reads the typed withdrawal, and shows it once more. It calls nothing that changes anything. */
async function review(visit: Visit): Promise<Reply> {
  const fund = await fundOf(visit);
  const chain = chainOf(fund.network);
  const to = (visit.form.get("to") ?? "").trim();
  const atoms = atomsOfText(chain, visit.form.get("amount") ?? "");
  const from = visit.form.get("from") === "fees" ? "fees" : "available";
  const fault = amountProblem(fund, from, atoms);
  const errors = [
    ...(isWholeAddress(chain, to) ? [] : [{ path: "to", message: "must be a whole address: 0x and 64 hex digits" }]),
    ...(fault === null ? [] : [{ path: "amount", message: fault }]),
  ];
  if (atoms === null || errors.length > 0)
    return ask(visit, fund, { status: 400, detail: "Nothing is sent yet. Mend the fields below.", errors });
  const withdrawal: Withdrawal = { to, amount: atoms.toString(), from };
  return showReview(visit, fund, withdrawal, null);
}

async function showReview(visit: Visit, fund: Fund, withdrawal: Withdrawal, problem: Problem | null): Promise<Reply> {
  const receiver = await findReceiver(visit, fund, withdrawal.to);
  const shown = { visit, fund, withdrawal, receiver, problem };
  return page(`Withdraw from ${fund.name}`, <ReviewPage {...shown} />, problem?.status);
}

/** Sends the withdrawal that was reviewed. The key of the form makes a second sending harmless. */
async function withdraw(visit: Visit): Promise<Reply> {
  const fund = await fundOf(visit);
  const { form } = visit;
  const body = withdrawalOfForm(form, fund);
  const { to, amount, from } = body;
  const withdrawal: Withdrawal = { to, amount, from };
  const sent = await visit.call("POST /funds/:id/withdraw", { id: fund.id, body, idempotencyKey: form.get("once") });
  if (sent.ok) return page("Withdrawal", <WithdrawnPage fund={fund} withdrawal={withdrawal} {...sent.value} />);
  if (!DECIMAL_U64.test(amount)) return ask(visit, fund, sent.error);
  // The fund may have been recovered since it was read. The review shows it as it is now.
  const now = sent.error.status === CONFLICT ? await fundOf(visit) : fund;
  return showReview(visit, now, withdrawal, sent.error);
}

const needs = ["GET /funds/:id", "POST /funds/:id/withdraw"] as const;

/** The pages for withdrawals. */
export const withdrawPages: readonly DashboardPage[] = [
  {
    method: "GET",
    path: "/funds/:id/withdraw",
    needs,
    respond: async (visit) => ask(visit, await fundOf(visit), null),
  },
  { method: "POST", path: "/funds/:id/withdraw/review", needs, respond: review },
  { method: "POST", path: "/funds/:id/withdraw", needs, respond: withdraw },
];
