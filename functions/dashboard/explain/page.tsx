import { explainInWords } from "../../../shared/fund/explain/words/explain.ts";
import type { Explanation } from "../../../shared/fund/explain/words/explanation.ts";
import { Explained } from "../parts/explanation.tsx";
import { CsrfField } from "../parts/form.tsx";
import { Id } from "../parts/id.tsx";
import { StatusTag } from "../parts/status-tag.tsx";
import { Ago, AgoAt } from "../parts/time.tsx";
import { pathTo, withQuery } from "../paths.ts";
import { sentence } from "../problem.tsx";
import type { Visit } from "../visit.ts";
import { type Found, type FoundWallet, isKnown } from "./find.ts";

/** The path that explains a digest, hash, sender, wallet or request. */
export function explainPath(text: string): string {
  return withQuery(pathTo("explain"), { q: text });
}

/** A form instead of a link, so that a pasted secret gets into no URL. */
function SearchForm({ visit }: { readonly visit: Pick<Visit, "csrf"> }) {
  return (
    <form class="filters wide" method="post" action={pathTo("explain")} aria-label="Explain">
      <CsrfField visit={visit} />
      <div class="field">
        <label for="explain-q">What do you have?</label>
        <input id="explain-q" name="q" type="search" autocomplete="off" spellcheck={false} maxlength={200} />
      </div>
      <button type="submit" class="primary">
        Explain
      </button>
    </form>
  );
}

const EXAMPLES: readonly (readonly [string, string])[] = [
  ["A digest or hash", "of a transaction: the user's wallet and every explorer show it."],
  ["A sender", "the user's address: 0x and 64 digits. You get what it did in the last 31 days."],
  ["A wallet id", "the id that your app gave to a wallet of this service."],
  ["A request id", "the x-request-id of an answer that was refused. Your app's log has it."],
  ["A fund or key", "its id leads to its page."],
];

/** The page before a search. It lists the possible searches. */
export function AskPage({ visit }: { readonly visit: Pick<Visit, "csrf"> }) {
  return (
    <section class="panel">
      <h1>Explain</h1>
      <p>Find out why a transaction failed, what it cost and who asked for it.</p>
      <SearchForm visit={visit} />
      <dl class="facts">
        {EXAMPLES.map(([what, where]) => (
          <>
            <dt>{what}</dt>
            <dd>{where}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function Wallets({ wallets, nowMs }: { readonly wallets: readonly FoundWallet[]; readonly nowMs: number }) {
  return (
    <section class="panel" aria-labelledby="wallets-h">
      <h2 id="wallets-h">{wallets.length === 1 ? "The wallet" : "The wallets"}</h2>
      {wallets.map(({ project, wallet }) => (
        <dl class="facts">
          <dt>Wallet</dt>
          <dd>
            <code data-copy={wallet.walletId}>{wallet.walletId}</code>
          </dd>
          <dt>Address</dt>
          <dd>
            <Id text={wallet.address} href={explainPath(wallet.address)} />
          </dd>
          <dt>Chain</dt>
          <dd>{wallet.chain === "sui" ? "Sui" : "Aptos"}</dd>
          <dt>Project</dt>
          <dd>
            <a href={withQuery(pathTo("wallets"), { project: project.id })}>{project.name}</a>
          </dd>
          <dt>Created</dt>
          <dd>
            <Ago at={wallet.createdAt} nowMs={nowMs} />
          </dd>
        </dl>
      ))}
    </section>
  );
}

function Row({ explanation, nowMs }: { readonly explanation: Explanation; readonly nowMs: number }) {
  const { steps, tone, status, sentence: why, subject } = explanation;
  const [first] = steps;
  const name = subject.digest ?? subject.requestId;
  const when = (Time: typeof Ago) => (first === undefined ? "–" : <Time at={first.at} nowMs={nowMs} />);
  return (
    <tr>
      <td class="nowrap lg">{when(Ago)}</td>
      <td>
        <StatusTag tone={tone} status={status} />
        <div class="sm">
          {why}
          <p class="fine">{when(AgoAt)}</p>
        </div>
      </td>
      <td class="lg">{why}</td>
      <td>{name === null ? "–" : <Id text={name} href={explainPath(name)} />}</td>
    </tr>
  );
}

function newestFirst(one: Explanation, other: Explanation): number {
  return Date.parse(other.steps[0]?.at ?? "") - Date.parse(one.steps[0]?.at ?? "") || 0;
}

function Many({ explanations, nowMs }: { readonly explanations: readonly Explanation[]; readonly nowMs: number }) {
  return (
    <section class="panel" aria-labelledby="many-h">
      <h2 id="many-h">What it did, newest first</h2>
      <div class="wrap">
        <table>
          <thead>
            <tr>
              <th scope="col" class="lg">
                When
              </th>
              <th scope="col">How it ended</th>
              <th scope="col" class="lg">
                Why
              </th>
              <th scope="col">Transaction or request</th>
            </tr>
          </thead>
          <tbody>
            {explanations.toSorted(newestFirst).map((explanation) => (
              <Row explanation={explanation} nowMs={nowMs} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Notes({ notes }: { readonly notes: readonly string[] }) {
  return (
    <>
      {notes.map((note) => (
        <p class="note warn">{note}</p>
      ))}
    </>
  );
}

function Result({ found, names, nowMs }: Omit<ExplainPageProps, "text">) {
  const { answer, isOfSender, wallets, problem } = found;
  if (problem !== null)
    return (
      <p class="note bad" role="alert">
        {sentence(problem.detail)}
      </p>
    );
  if (answer === null)
    return (
      <section class="panel">
        <p class="lead">No wallet has this id, and it is no digest, hash, address or request id.</p>
        <p>Copy it whole: a digest has 43 or 44 characters, a hash or an address 0x and 64 digits.</p>
      </section>
    );
  const { explanations, notes } = explainInWords(answer);
  const isMany = isOfSender && isKnown(answer);
  const shownWallets = wallets.length > 0 && <Wallets wallets={wallets} nowMs={nowMs} />;
  return (
    <>
      <Notes notes={notes} />
      {!isMany && shownWallets}
      {isMany ? (
        <Many explanations={explanations} nowMs={nowMs} />
      ) : isOfSender ? (
        <section class="panel">
          <p>This address has asked for nothing in the last 31 days.</p>
        </section>
      ) : (
        explanations.map((explanation) => <Explained explanation={explanation} names={names} />)
      )}
      {isMany && shownWallets}
    </>
  );
}

/** Everything that the page of an answer shows. */
export interface ExplainPageProps {
  readonly text: string;
  readonly found: Found;
  /** The names of funds and keys by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

/** The page of an answer: the sentence first. */
export function ExplainPage({ text, ...result }: ExplainPageProps) {
  return (
    <>
      <div class="head">
        <h1>
          Explain <Id text={text} />
        </h1>
      </div>
      <Result {...result} />
    </>
  );
}
