import { SUGGESTED_LOW_BALANCE } from "../../../shared/coin-text.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Fund } from "../answers.ts";
import { LOW_BALANCE_HINT, networkText } from "../fund-words.ts";
import { Amount } from "../parts/amount.tsx";
import { coinName } from "../parts/amount-text.ts";
import { Field, Form, OnceField } from "../parts/form.tsx";
import { WholeId } from "../parts/id.tsx";
import { QrCode } from "../parts/qr.tsx";
import { pathTo } from "../paths.ts";
import type { Visit } from "../visit.ts";
import { faucetCall } from "./example.ts";
import { backHere, type StartData, Step } from "./step.tsx";

function FundForm({ visit, project, networks, problem }: StartData) {
  return (
    <Form visit={visit} action={pathTo("start", "fund")} problem={problem}>
      <OnceField visit={visit} />
      <input type="hidden" name="project" value={project?.id ?? ""} />
      <Field
        name="network"
        label="Network"
        value={visit.form.get("network") ?? networks[0] ?? ""}
        options={networks.map((network) => ({ value: network, label: networkText(network) }))}
        hint="It cannot be changed later."
        problem={problem}
      />
      <Field
        name="name"
        label="Name of the fund"
        value={visit.form.get("name") ?? ""}
        problem={problem}
        maxlength={100}
        required
        autofocus
      />
      <Field
        name="lowBalance"
        label="Warn below, in coins"
        value={visit.form.get("lowBalance") ?? SUGGESTED_LOW_BALANCE}
        inputmode="decimal"
        hint={LOW_BALANCE_HINT}
        problem={problem}
      />
      <button type="submit" class="primary">
        Make the fund
      </button>
    </Form>
  );
}

function DepositNow({ visit, fund }: { readonly visit: Visit; readonly fund: Fund }) {
  const chain = chainOf(fund.network);
  const isFunded = BigInt(fund.balance) > 0n;
  const { depositAddress, network } = fund;
  const faucet = depositAddress && faucetCall(network, visit.ground.config.nodes[network][0], depositAddress);
  return (
    <>
      {depositAddress === null || isFunded ? null : (
        <div class="deposit">
          <QrCode text={depositAddress} label={`QR code of the deposit address of ${fund.name}`} />
          <div>
            <p>
              Send some {coinName(chain)} to this address on {networkText(fund.network)}. A tenth of a coin is enough to
              try.
            </p>
            <WholeId text={depositAddress} />
            {faucet === null ? null : (
              <pre>
                <code data-copy={faucet} data-name="the call of the faucet">
                  {faucet}
                </code>
              </pre>
            )}
          </div>
        </div>
      )}
      <div id="live-deposit" data-live={backHere(fund)}>
        {isFunded ? (
          <p class="note ok" role="status">
            The balance of the fund is <Amount chain={chain} atoms={fund.balance} />.
          </p>
        ) : (
          <p class="note">No deposit is seen yet. You can go on meanwhile.</p>
        )}
      </div>
      {isFunded || !visit.may("POST /funds/:id/refresh") ? null : (
        <Form visit={visit} action={pathTo("start", "refresh")}>
          <input type="hidden" name="project" value={fund.projectId} />
          <input type="hidden" name="fund" value={fund.id} />
          <button type="submit">Look for the deposit now</button>
        </Form>
      )}
    </>
  );
}

/** The step that makes a fund and shows where to send its coins. */
export function FundStep(data: StartData) {
  const { visit, project, fund } = data;
  if (project === null) return <Step title="Make a fund, and send coins to it" state="later" />;
  if (fund === null)
    return (
      <Step title="Make a fund, and send coins to it" state="now">
        <p>A fund pays the gas of your users. The service keeps its key encrypted.</p>
        <FundForm {...data} />
      </Step>
    );
  return (
    <Step title={`Fund: ${fund.name}`} state={BigInt(fund.balance) > 0n ? "done" : "now"}>
      <DepositNow visit={visit} fund={fund} />
    </Step>
  );
}
