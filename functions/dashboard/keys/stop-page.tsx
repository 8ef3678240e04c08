import type { Problem } from "../../../shared/http/problem.ts";
import { chainOf } from "../../../shared/network-names.ts";
import type { Answers, Fund, Key } from "../answers.ts";
import { Amount } from "../parts/amount.tsx";
import { Form } from "../parts/form.tsx";
import { pathTo } from "../paths.ts";
import type { Visit } from "../visit.ts";
import type { OpenOfKey, RevocationCost } from "./open.ts";

/** Everything that the page for stopping a key shows. */
export interface StopPageProps {
  readonly visit: Pick<Visit, "csrf">;
  readonly accessKey: Key;
  /** Null if the key has no fund. */
  readonly fund: Fund | null;
  readonly open: OpenOfKey;
  readonly cost: RevocationCost | null;
  readonly problem: Problem | null;
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function openText({ signed, isWhole }: OpenOfKey): string {
  if (signed > 0) return `: ${isWhole ? "" : "at least "}${plural(signed, "signature")} can still be executed.`;
  return isWhole ? "; nothing is open now." : ". It is unknown how much is open: it could not all be read.";
}

function RevokeCost({
  open,
  cost,
  accessKey,
}: Pick<StopPageProps, "open" | "accessKey"> & { readonly cost: RevocationCost }) {
  const chain = chainOf(accessKey.network);
  if (open.signed === 0 && !open.isWhole)
    return (
      <p class="note warn">
        The open signatures of this key could not all be counted. Revoking takes back all of them, and the fund pays gas
        for each.
      </p>
    );
  if (open.signed === 0)
    return <p>No signature of this key is open, so revoking costs nothing and changes nothing more than disabling.</p>;
  const signatures = plural(open.signed, "signature");
  if (!cost.isPossible)
    return (
      <p class="note warn">
        {signatures} can still be executed until they expire, for at most{" "}
        <Amount chain={chain} atoms={open.signedAtoms} />. Nobody can take them back, because this fund does not pay
        with coins.
      </p>
    );
  return (
    <p>
      {signatures} will be worthless. The fund moves {open.signed === 1 ? "the coin" : "the coins"} that{" "}
      {open.signed === 1 ? "it names" : "they name"}, and pays the gas for that
      {cost.gasAtoms === null ? (
        "."
      ) : (
        <>
          : about <Amount chain={chain} atoms={cost.gasAtoms} />, by what it cost in the last 30 days.
        </>
      )}{" "}
      Then <Amount chain={chain} atoms={open.signedAtoms} /> is available again. A transaction that the chain has
      executed by then is still paid.
    </p>
  );
}

/** Offers the ways to stop a key, with the cost of each. */
export function StopPage({ visit, accessKey, fund, open, cost, problem }: StopPageProps) {
  const action = pathTo("keys", accessKey.id, "stop");
  const isActive = accessKey.status === "active";
  return (
    <>
      <div class="head">
        <p class="crumbs">
          <a href={pathTo("keys")}>Keys</a> · <a href={pathTo("keys", accessKey.id)}>{accessKey.name}</a>
        </p>
        <h1>Stop {accessKey.name}</h1>
      </div>
      <div class="cols">
        {isActive && (
          <section class="panel" aria-labelledby="disable-h">
            <h2 id="disable-h">Disable it</h2>
            <p>Its next call is refused. Its signatures stay valid{openText(open)}</p>
            <p>It costs nothing, and an owner can make the key active again.</p>
            <Form visit={visit} action={action} problem={problem}>
              <input type="hidden" name="outstanding" value="false" />
              <button type="submit" class="danger">
                Disable {accessKey.name}
              </button>
            </Form>
          </section>
        )}
        {fund !== null && cost !== null && (
          <section class="panel" aria-labelledby="revoke-h">
            <h2 id="revoke-h">{isActive ? "Disable it and revoke its signatures" : "Revoke its signatures"}</h2>
            <p>Do this if the key has leaked. Transactions that users have not sent yet will fail.</p>
            <RevokeCost accessKey={accessKey} open={open} cost={cost} />
            {!open.isWhole && open.signed > 0 && <p class="hint">There are more, or they could not all be read.</p>}
            <Form visit={visit} action={action} problem={isActive ? null : problem}>
              <input type="hidden" name="outstanding" value="true" />
              <button type="submit" class="danger">
                Revoke its signatures
              </button>
            </Form>
          </section>
        )}
      </div>
    </>
  );
}

/** Writes the result of a revocation in words. */
export function StoppedPage(props: {
  readonly accessKey: Key;
  readonly revoked: Answers["POST /keys/:id/revoke"];
  readonly wasOutstanding: boolean;
}) {
  const { accessKey, revoked, wasOutstanding } = props;
  const lines = [
    [revoked.revoked, "can never be executed now."],
    [revoked.tooLate, "had been executed before."],
    [revoked.irrevocable, "can still be executed until they expire. Nobody can take them back."],
    [revoked.pending, "are not decided yet. The fund goes on by itself."],
  ] as const;
  const shown = lines.filter(([count]) => count > 0);
  return (
    <section class="panel narrow">
      <h1>{accessKey.name} is disabled</h1>
      <p role="status" class="note ok">
        Its next call is refused.
      </p>
      {wasOutstanding &&
        (shown.length === 0 ? (
          <p>No signature of it was open.</p>
        ) : (
          <ul>
            {shown.map(([count, text]) => (
              <li>
                {count} {text}
              </li>
            ))}
          </ul>
        ))}
      <p>
        <a href={pathTo("keys", accessKey.id)}>Go to the key</a>
      </p>
    </section>
  );
}
