import { chainOf } from "../../../shared/network-names.ts";
import type { Fund } from "../answers.ts";
import { atomsOfText, coinName } from "../parts/amount-text.ts";
import { type DashboardPage, page, type Reply, type Visit } from "../visit.ts";
import { fundOf } from "./open.ts";
import { ReviewPage, type Withdrawal, WithdrawnPage, WithdrawPage } from "./withdraw-page.tsx";

const ADDRESS = /^0x[0-9a-fA-F]{1,64}$/;
const fromOf = (visit: Visit): Withdrawal["from"] => (visit.form.get("from") === "fees" ? "fees" : "available");

function ask(visit: Visit, fund: Fund, problem: Parameters<typeof WithdrawPage>[0]["problem"]): Reply {
  const status = problem?.status ?? 200;
  return page(`Withdraw from ${fund.name}`, <WithdrawPage visit={visit} fund={fund} problem={problem} />, status);
}

/** Reads what a person has typed, and shows it once more. It calls nothing that changes anything. */
async function review(visit: Visit): Promise<Reply> {
  const fund = await fundOf(visit);
  const chain = chainOf(fund.network);
  const to = (visit.form.get("to") ?? "").trim();
  const atoms = atomsOfText(chain, visit.form.get("amount") ?? "");
  const errors = [
    ...(ADDRESS.test(to) ? [] : [{ path: "to", message: "must be an address: 0x and hex digits" }]),
    ...(atoms === null || atoms === 0n
      ? [{ path: "amount", message: `must be an amount of ${coinName(chain)}, such as 0.5` }]
      : []),
  ];
  if (atoms === null || errors.length > 0)
    return ask(visit, fund, { status: 400, detail: "Nothing is sent yet. Mend the fields below.", errors });
  const withdrawal: Withdrawal = { to, amount: atoms.toString(), from: fromOf(visit) };
  return page(
    `Withdraw from ${fund.name}`,
    <ReviewPage visit={visit} fund={fund} withdrawal={withdrawal} problem={null} />,
  );
}

/** Sends the withdrawal that was reviewed. The key of the form makes a second sending harmless. */
async function withdraw(visit: Visit): Promise<Reply> {
  const fund = await fundOf(visit);
  const { form } = visit;
  const withdrawal: Withdrawal = { to: form.get("to") ?? "", amount: form.get("atoms") ?? "", from: fromOf(visit) };
  const { to, amount } = withdrawal;
  const isUnconfirmed = fund.recovery?.withdrawals === "unconfirmed";
  const body = { ...withdrawal, ...(isUnconfirmed && { confirm: { to, amount } }) };
  const sent = await visit.call("POST /funds/:id/withdraw", { id: fund.id, body, idempotencyKey: form.get("once") });
  if (sent.ok) return page("Withdrawal", <WithdrawnPage fund={fund} {...sent.value} />);
  const isAmount = /^(0|[1-9]\d{0,19})$/.test(amount);
  if (!isAmount) return ask(visit, fund, sent.error);
  const shown = <ReviewPage visit={visit} fund={fund} withdrawal={withdrawal} problem={sent.error} />;
  return page(`Withdraw from ${fund.name}`, shown, sent.error.status);
}

const needs = ["GET /funds/:id", "POST /funds/:id/withdraw"] as const;

/** The pages by which money leaves a fund. */
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
