import { chainOf } from "../../../shared/network-names.ts";
import type { Fund } from "../answers.ts";
import type { KeySpend } from "../gather.ts";
import { Amount } from "../parts/amount.tsx";
import { SpentHint } from "../parts/spent.tsx";
import { pathTo } from "../paths.ts";

/** The keys that have spent most this week. The chains have coins of their own, so each chain has its order. */
export function Spenders({ spenders }: { readonly spenders: readonly KeySpend[] }) {
  const chainOfSpender = ({ fund }: KeySpend) => chainOf(fund.network);
  const ordered = spenders.toSorted(
    (a, b) =>
      Number(chainOfSpender(a) === "aptos") - Number(chainOfSpender(b) === "aptos") ||
      Number(BigInt(b.row.spent) - BigInt(a.row.spent)),
  );
  return (
    <section class="panel" aria-labelledby="spenders-h">
      <div class="head">
        <h2 id="spenders-h">Who spent most this week</h2>
        <a href={pathTo("keys")}>All keys</a>
      </div>
      {ordered.length === 0 ? <p class="empty">No key has spent anything in the last seven days.</p> : null}
      {ordered.length === 0 ? null : (
        <div class="wrap">
          <table>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">App</th>
                <th scope="col" class="n lg">
                  Executed
                </th>
                <th scope="col" class="n lg">
                  Not executed
                </th>
                <th scope="col" class="n">
                  Spent
                </th>
              </tr>
            </thead>
            <tbody>
              {ordered.map((spender) => (
                <tr>
                  <th scope="row">
                    <a href={pathTo("keys", spender.keyId)}>{spender.name}</a>
                  </th>
                  <td>{spender.project}</td>
                  <td class="n lg">{spender.row.executed.toLocaleString("en")}</td>
                  <td class="n lg">{spender.row.abandoned.toLocaleString("en")}</td>
                  <td class="n">
                    <Amount chain={chainOfSpender(spender)} atoms={spender.row.spent} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <SpentHint />
    </section>
  );
}

/** Names the funds in the plots, if they are not all. One page may call only a limited number of funds. */
export function LeftOut({ detailed, shown }: { readonly detailed: readonly Fund[]; readonly shown: number }) {
  if (detailed.length >= shown) return null;
  return (
    <section class="panel" aria-labelledby="left-out-h">
      <h2 id="left-out-h">
        These figures cover {detailed.length} of {shown} funds
      </h2>
      <p>
        {detailed.length === 0
          ? "There are too many funds to add up on one page."
          : `They cover those that spend most: ${detailed.map(({ name }) => name).join(", ")}.`}{" "}
        Open one of the <a href={pathTo("funds")}>funds</a> to see its own figures. Open the{" "}
        <a href={pathTo("keys")}>keys</a> to see who spent most.
      </p>
    </section>
  );
}
