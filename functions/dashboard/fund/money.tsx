import { chainOf } from "../../../shared/network-names.ts";
import type { Fund } from "../answers.ts";
import { Amount } from "../parts/amount.tsx";
import { Form } from "../parts/form.tsx";
import { WholeId } from "../parts/id.tsx";
import { QrCode } from "../parts/qr.tsx";
import { lastsText } from "../parts/time-text.ts";
import { pathTo } from "../paths.ts";
import { sentence } from "../problem.tsx";
import type { Visit } from "../visit.ts";
import { partsOfBalance } from "./balance.ts";

/** The panel of the available amount: for how long it lasts, and its sum. */
export function Balance({ fund, visit }: { readonly fund: Fund; readonly visit: Visit }) {
  const chain = chainOf(fund.network);
  return (
    <section class="panel" aria-labelledby="balance-h">
      <h2 id="balance-h">Left to sponsor with</h2>
      <div id="live-balance" data-live="" class="stack">
        <p class="big">
          <Amount chain={chain} atoms={fund.available} />
        </p>
        <p>{lastsText(fund, visit.nowMs)}</p>
        <dl class="facts">
          <dt>Balance</dt>
          <dd>
            <Amount chain={chain} atoms={fund.balance} />
          </dd>
          {partsOfBalance(fund).map(({ label, atoms, hint }) => (
            <>
              <dt>less {label}</dt>
              <dd>
                <Amount chain={chain} atoms={atoms} /> {hint === undefined ? null : <span class="fine">{hint}</span>}
              </dd>
            </>
          ))}
          <dt class="sum">Available</dt>
          <dd class="sum">
            <Amount chain={chain} atoms={fund.available} />
          </dd>
        </dl>
        {fund.unconverted?.failingSince ? <p class="note warn">{sentence(fund.unconverted.cause)}</p> : null}
      </div>
      {visit.may("POST /funds/:id/refresh") ? (
        <Form visit={visit} action={pathTo("funds", fund.id, "refresh")}>
          <button type="submit">Read the chain now</button>
        </Form>
      ) : null}
    </section>
  );
}

/** The panel of the deposit address. It is shown whole, because a part of an address is no address. */
export function Deposit({ fund, visit }: { readonly fund: Fund; readonly visit: Visit }) {
  const { depositAddress, name, id } = fund;
  const coin = chainOf(fund.network) === "sui" ? "SUI" : "APT";
  if (depositAddress === null)
    return (
      <section class="panel" aria-labelledby="deposit-h">
        <h2 id="deposit-h">Deposit</h2>
        <p class="empty">This fund was made without a deposit address. It can get one at any time.</p>
        {visit.may("POST /funds/:id/deposit-address") ? (
          <Form visit={visit} action={pathTo("funds", id, "deposit-address")}>
            <button type="submit" class="primary">
              Show a deposit address
            </button>
          </Form>
        ) : null}
      </section>
    );
  return (
    <section class="panel" aria-labelledby="deposit-h">
      <h2 id="deposit-h">Deposit</h2>
      <div class="deposit">
        <QrCode text={depositAddress} label={`QR code of the deposit address of ${name}`} />
        <div>
          <p>
            Send only {coin} to this address. The service can neither use another coin that arrives here, nor send it
            back.
          </p>
          <WholeId text={depositAddress} />
          <p class="hint">The fund sees a deposit within a minute.</p>
        </div>
      </div>
    </section>
  );
}
