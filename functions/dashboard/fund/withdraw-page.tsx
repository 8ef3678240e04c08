import { COST_WORDS } from "../../../shared/fund/cost-words.ts";
import { ABOUT_WITHDRAWAL_GAS, mostAfterGas } from "../../../shared/fund/withdrawal-gas.ts";
import type { Problem } from "../../../shared/http/problem.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Chain } from "../../../shared/networks.ts";
import type { Fund } from "../answers.ts";
import { Amount } from "../parts/amount.tsx";
import { coinName } from "../parts/amount-text.ts";
import { Field, Form, OnceField } from "../parts/form.tsx";
import { WholeId } from "../parts/id.tsx";
import { pathTo } from "../paths.ts";
import type { Visit } from "../visit.ts";
import { FundHead } from "./head.tsx";
import type { Receiver } from "./receiver.ts";

/** A withdrawal that a person has typed, as the admin API takes it. */
export interface Withdrawal {
  readonly to: string;
  /** MIST or octas, as a decimal string. */
  readonly amount: string;
  readonly from: "available" | "fees";
}

/** True if no digit of an address is missing. The API would fill a short Sui address up, and pay another one. */
export function isWholeAddress(chain: Chain, text: string): boolean {
  return (chain === "sui" ? /^0x[0-9a-fA-F]{64}$/ : /^0x([0-9a-fA-F]{64}|[0-9a-fA-F])$/).test(text);
}

const positive = (atoms: bigint) => (atoms < 0n ? 0n : atoms);

/** Returns about how much the gas of a withdrawal needs: MIST or octas. */
export function gasOf({ network }: Pick<Fund, "network">): bigint {
  return ABOUT_WITHDRAWAL_GAS[chainOf(network)];
}

/** Returns the most that can be withdrawn now, as the fund shows it. Its gas comes out of the same money. */
export function withdrawableOf(fund: Fund, from: Withdrawal["from"]): bigint {
  const { accruedFees, maintenanceReserve } = fund;
  const available = positive(BigInt(fund.available));
  const asked = from === "fees" ? BigInt(accruedFees) : available;
  const money = { payableAtoms: available + BigInt(accruedFees), reserveAtoms: BigInt(maintenanceReserve) };
  const most = mostAfterGas(money, gasOf(fund));
  return asked < most ? asked : most;
}

/** Returns the amount after a withdrawal. Its gas is not taken from the earned fees. */
function leftAfter(fund: Fund, { amount, from }: Withdrawal): bigint {
  if (from === "fees") return positive(BigInt(fund.accruedFees) - BigInt(amount));
  return positive(BigInt(fund.available) - BigInt(amount) - gasOf(fund));
}

/**
 * Makes the body of a withdrawal from the form that its review has sent. Only a review of the same recovery confirms
 * it. A form from before a recovery may repeat a payment that the fund has forgotten.
 */
export function withdrawalOfForm(form: URLSearchParams, { recovery }: Pick<Fund, "recovery">) {
  const from = form.get("from") === "fees" ? ("fees" as const) : ("available" as const);
  const withdrawal: Withdrawal = { to: form.get("to") ?? "", amount: form.get("atoms") ?? "", from };
  const { to, amount } = withdrawal;
  const isConfirmed = recovery !== null && form.get("confirm") === recovery.startedAt;
  return { ...withdrawal, ...(isConfirmed && { confirm: { to, amount } }) };
}

/** The form of a withdrawal: its receiver and its amount. */
export function WithdrawPage(props: { readonly visit: Visit; readonly fund: Fund; readonly problem: Problem | null }) {
  const { visit, fund, problem } = props;
  const chain = chainOf(fund.network);
  const { form } = visit;
  return (
    <>
      <FundHead fund={fund} part={null} />
      <section class="panel narrow" aria-labelledby="withdraw-h">
        <h2 id="withdraw-h">Withdraw</h2>
        <p>
          At most <Amount chain={chain} atoms={withdrawableOf(fund, "available")} /> can be withdrawn
          {BigInt(fund.accruedFees) > 0n ? (
            <>
              , or <Amount chain={chain} atoms={withdrawableOf(fund, "fees")} /> of earned fees
            </>
          ) : null}
          . The gas is about <Amount chain={chain} atoms={gasOf(fund)} />. You see the whole withdrawal before it is
          sent.
        </p>
        <Form visit={visit} action={pathTo("funds", fund.id, "withdraw", "review")} problem={problem}>
          <OnceField visit={visit} />
          <Field
            name="to"
            label="To"
            value={form.get("to") ?? ""}
            hint="A whole address on the fund's own network: 0x and 64 hex digits"
            problem={problem}
            maxlength={66}
            required
          />
          <Field
            name="amount"
            label={`Amount in ${coinName(chain)}`}
            value={form.get("amount") ?? ""}
            inputmode="decimal"
            problem={problem}
            required
          />
          {BigInt(fund.accruedFees) > 0n ? (
            <Field
              name="from"
              label="Out of"
              value={form.get("from") ?? "available"}
              options={[
                { value: "available", label: "what is available" },
                { value: "fees", label: "earned fees" },
              ]}
              problem={problem}
            />
          ) : null}
          <div class="acts">
            <button type="submit" class="primary">
              Review
            </button>
            <a href={pathTo("funds", fund.id)}>Cancel</a>
          </div>
        </Form>
      </section>
    </>
  );
}

/** Lists the payments that a recovered fund has forgotten, so that a person compares this one with them. */
function Forgotten(props: { readonly chain: Chain; readonly recovery: NonNullable<Fund["recovery"]> }) {
  const { chain, recovery } = props;
  const { forgottenPayments, forgottenTransactions, forgottenComplete } = recovery;
  const shown = new Set(forgottenTransactions.map(({ digest }) => digest));
  return (
    <div class="note warn">
      <p>
        This fund was recovered from older state. If this payment was made before the recovery, do not send it again.
      </p>
      <ul>
        {forgottenTransactions.map(({ digest, amount, to }) => (
          <li>
            <WholeId text={digest} />: {amount === null ? "unknown amount" : <Amount chain={chain} atoms={amount} />}
            {to === null ? null : (
              <>
                {" "}
                to <WholeId text={to} />
              </>
            )}
          </li>
        ))}
        {forgottenPayments
          .filter((digest) => !shown.has(digest))
          .map((digest) => (
            <li>
              <WholeId text={digest} />
            </li>
          ))}
      </ul>
      {forgottenComplete === true ? null : (
        <p>There may be other payments. Look at the fund's address on the chain for one to this address.</p>
      )}
    </div>
  );
}

/** The withdrawal once more, with every digit. Nothing has happened before this form is sent. */
export function ReviewPage(props: {
  readonly visit: Pick<Visit, "csrf" | "form" | "newKey">;
  readonly fund: Fund;
  readonly withdrawal: Withdrawal;
  readonly receiver: Receiver;
  readonly problem: Problem | null;
}) {
  const { visit, fund, withdrawal, receiver, problem } = props;
  const chain = chainOf(fund.network);
  const { to, amount, from } = withdrawal;
  const unconfirmed = fund.recovery?.withdrawals === "unconfirmed" ? fund.recovery : null;
  return (
    <>
      <FundHead fund={fund} part={null} />
      <section class="panel narrow" aria-labelledby="review-h">
        <h2 id="review-h">Send this withdrawal?</h2>
        <dl class="facts">
          <dt>Amount</dt>
          <dd>
            <b>
              <Amount chain={chain} atoms={amount} />
            </b>{" "}
            <span class="fine">
              exactly {amount} {chain === "sui" ? "MIST" : "octas"}
            </span>
          </dd>
          <dt>To</dt>
          <dd>
            <WholeId text={to} />
          </dd>
          <dt>Gas, about</dt>
          <dd>
            <Amount chain={chain} atoms={gasOf(fund)} /> <span class="fine">The fund keeps what is not used.</span>
          </dd>
          <dt>Left after it</dt>
          <dd>
            <Amount chain={chain} atoms={leftAfter(fund, withdrawal)} />{" "}
            {from === "fees" ? "of earned fees" : "to sponsor with"}
          </dd>
        </dl>
        <p class={`note ${receiver.isKnown ? "" : "warn"}`}>{receiver.text}</p>
        <p>{COST_WORDS.withdraw} Compare the address with its source, digit by digit.</p>
        {unconfirmed === null ? null : <Forgotten chain={chain} recovery={unconfirmed} />}
        <Form visit={visit} action={pathTo("funds", fund.id, "withdraw")} problem={problem}>
          <OnceField visit={visit} />
          <input type="hidden" name="to" value={to} />
          <input type="hidden" name="atoms" value={amount} />
          <input type="hidden" name="from" value={from} />
          {unconfirmed === null ? null : <input type="hidden" name="confirm" value={unconfirmed.startedAt} />}
          <div class="acts">
            <button type="submit" class="danger">
              Send <Amount chain={chain} atoms={amount} />
            </button>
            <a href={pathTo("funds", fund.id)}>Cancel</a>
          </div>
        </Form>
      </section>
    </>
  );
}

/** A withdrawal that is under way. */
export function WithdrawnPage(props: {
  readonly fund: Fund;
  readonly withdrawal: Withdrawal;
  readonly digest: string;
  readonly state: string;
}) {
  const { fund, withdrawal, digest, state } = props;
  return (
    <>
      <FundHead fund={fund} part={null} />
      <section class="panel narrow" aria-labelledby="sent-h">
        <h2 id="sent-h">The withdrawal is {state === "pending" ? "sent" : state}</h2>
        <p role="status">
          {state === "pending"
            ? "The fund settles it by itself. Look it up on the chain by its digest."
            : state === "complete"
              ? "The amount was paid. The chain shows it by its digest."
              : state === "unresolvable"
                ? "No node shows if it was paid. Look at the receiver's address on the chain."
                : "Nothing was paid."}
        </p>
        <dl class="facts">
          <dt>Amount</dt>
          <dd>
            <Amount chain={chainOf(fund.network)} atoms={withdrawal.amount} />
          </dd>
          <dt>To</dt>
          <dd>
            <WholeId text={withdrawal.to} />
          </dd>
          <dt>Digest</dt>
          <dd>
            <WholeId text={digest} />
          </dd>
        </dl>
        <p>
          <a href={pathTo("funds", fund.id)}>Back to the fund</a>
        </p>
      </section>
    </>
  );
}
