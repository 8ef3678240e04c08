import { chainOf } from "../../../shared/network-names.ts";
import { networkText } from "../fund-words.ts";
import { Amount } from "../parts/amount.tsx";
import { amountText } from "../parts/amount-text.ts";
import { SpentHint } from "../parts/spent.tsx";
import { pathTo } from "../paths.ts";
import type { AllKeys } from "./gather.ts";
import { bySpent, DOUBT_THRESHOLDS, doubtOf, type ListedKey } from "./use.ts";

/** Everything that the list of keys shows. */
export interface KeysPageProps {
  readonly all: AllKeys;
  readonly nowMs: number;
  readonly mayCreate: boolean;
}

/** Names the key that spent the most on each chain, with its share of all. */
export function spentMost(keys: readonly ListedKey[]): readonly string[] {
  return (["sui", "aptos"] as const).flatMap((chain) => {
    const onChain = keys.filter(({ key, week }) => chainOf(key.network) === chain && week !== null).toSorted(bySpent);
    const total = onChain.reduce((sum, { week }) => sum + (week?.spentAtoms ?? 0n), 0n);
    const [first] = onChain;
    if (first === undefined || first.week === null || first.week.spentAtoms <= 0n || total <= 0n) return [];
    const percent = (first.week.spentAtoms * 100n + total / 2n) / total;
    const { shown } = amountText(chain, first.week.spentAtoms);
    return [
      `${first.key.name} spent the most in the last 7 days: ${shown}, ${percent} % of all on ${chainName(chain)}.`,
    ];
  });
}

function chainName(chain: "sui" | "aptos"): string {
  return chain === "sui" ? "Sui" : "Aptos";
}

function Doubts({ keys, nowMs }: { readonly keys: readonly ListedKey[]; readonly nowMs: number }) {
  const doubts = keys.flatMap((listed) => {
    const doubt = doubtOf(listed, nowMs);
    return doubt === null ? [] : [{ ...listed, doubt }];
  });
  return (
    <section class="panel" aria-labelledby="doubts-h">
      <h2 id="doubts-h">Should one be disabled?</h2>
      {doubts.length === 0 ? (
        <p>
          <span class="tag ok">None</span> No key stands out yet. {DOUBT_THRESHOLDS}
        </p>
      ) : (
        <ul class="need">
          {doubts.map(({ key, doubt }) => (
            <li>
              <span class={`tag ${doubt.tone}`}>{doubt.tag}</span>
              <span>
                <b>{key.name}</b> {doubt.text}
              </span>
              <a href={pathTo("keys", key.id)} aria-label={`Look at ${key.name}`}>
                Look
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Row({ listed: { key, projectName, fund, week } }: { readonly listed: ListedKey }) {
  const chain = chainOf(key.network);
  return (
    <tr>
      <th scope="row">
        <a href={pathTo("keys", key.id)}>{key.name}</a>
        <p class="fine">{projectName}</p>
      </th>
      <td>{key.status === "active" ? <span class="tag ok">Active</span> : <span class="tag">Disabled</span>}</td>
      <td class="n">{week === null ? "–" : <Amount chain={chain} atoms={week.spentAtoms} />}</td>
      <td class="n lg">{week?.sponsored ?? "–"}</td>
      <td class="n lg">{week?.failed ?? "–"}</td>
      <td class="n lg">{week?.abandoned ?? "–"}</td>
      <td class="n lg">{week?.refused ?? "–"}</td>
      <td class="lg">
        {fund === null ? key.rights.join(", ") : <a href={pathTo("funds", fund.id)}>{fund.name}</a>}
        <p class="fine">{networkText(key.network)}</p>
      </td>
    </tr>
  );
}

function Table({ keys }: { readonly keys: readonly ListedKey[] }) {
  return (
    <div class="wrap">
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Status</th>
            <th scope="col" class="n">
              Spent
            </th>
            <th scope="col" class="n lg">
              Sponsored
            </th>
            <th scope="col" class="n lg">
              Aborted
            </th>
            <th scope="col" class="n lg">
              Not executed
            </th>
            <th scope="col" class="n lg">
              Refused
            </th>
            <th scope="col" class="lg">
              Pays from
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((listed) => (
            <Row listed={listed} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The list of all keys: who spends the most, and which key may have to be disabled. */
export function KeysPage({ all, nowMs, mayCreate }: KeysPageProps) {
  const keys = all.keys.toSorted(bySpent);
  return (
    <>
      <div class="head">
        <h1>Keys</h1>
        {mayCreate && (
          <p class="acts">
            <a class="button primary" href={pathTo("new-key")}>
              Create a key
            </a>
          </p>
        )}
      </div>
      {spentMost(keys).map((text) => (
        <p class="lead">{text}</p>
      ))}
      {keys.length === 0 ? (
        <section class="panel">
          <p class="empty">
            There is no key yet. An app needs a key to call this service. The key sets what the app may do and spend.
          </p>
        </section>
      ) : (
        <>
          <Doubts keys={keys} nowMs={nowMs} />
          <section class="panel" aria-labelledby="keys-h">
            <h2 id="keys-h">The last 7 days, by what they spent</h2>
            <Table keys={keys} />
            <SpentHint />
          </section>
        </>
      )}
      {!all.isWhole && <p class="note warn">There are more keys or funds than this page reads.</p>}
      {all.unreadable.length > 0 && (
        <p class="note bad">
          These did not answer: {all.unreadable.join(", ")}. Look for the cause in the log of the service.
        </p>
      )}
    </>
  );
}
