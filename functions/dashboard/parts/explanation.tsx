import type { Explanation } from "../../../shared/fund/explain/words/explanation.ts";
import { chainOfName, shortened, timeText } from "../../../shared/fund/explain/words/readable.ts";
import type { Chain } from "../../../shared/networks.ts";
import { networkText } from "../fund-words.ts";
import { pathTo } from "../paths.ts";
import { Amount } from "./amount.tsx";
import { Id, Targets } from "./id.tsx";
import { StatusTag } from "./status-tag.tsx";

type Names = ReadonlyMap<string, string>;

/** Writes the names of funds and keys in place of their shortened ids. */
function withNames(text: string, names: Names): string {
  return [...names].reduce((named, [id, name]) => named.replaceAll(shortened(id), () => name), text);
}

function TimeLine({ steps, names }: Pick<Explanation, "steps"> & { readonly names: Names }) {
  return (
    <ol class="time">
      {steps.map(({ at, title, text, tone }) => (
        <li class={tone === "bad" ? "bad" : undefined}>
          <time datetime={at} class="dim">
            {timeText(at)}
          </time>{" "}
          <strong>{title}</strong> <span>{withNames(text, names)}</span>
        </li>
      ))}
    </ol>
  );
}

function Costs({ costs, chain }: Pick<Explanation, "costs"> & { readonly chain: Chain }) {
  return (
    <dl class="facts">
      {costs.map(({ label, atoms, note }) => (
        <>
          <dt>{label}</dt>
          <dd>
            {atoms !== null && <Amount chain={chain} atoms={atoms} />} <span class="dim">{note}</span>
          </dd>
        </>
      ))}
    </dl>
  );
}

/** Links to a fund or key by its name. Its id is in its title and in its copy. */
function Named({ id, part, names }: { readonly id: string; readonly part: "funds" | "keys"; readonly names: Names }) {
  const name = names.get(id);
  return name === undefined ? (
    <Id text={id} href={pathTo(part, id)} />
  ) : (
    <a href={pathTo(part, id)} title={id}>
      {name}
    </a>
  );
}

/** Checks for anything to show about the subject. */
function isNamed({ digest, requestId, fundId, keyId, sender, targets, network }: Explanation["subject"]): boolean {
  return targets.length > 0 || [digest, requestId, fundId, keyId, sender, network].some((part) => part !== null);
}

function Subject(props: { readonly subject: Explanation["subject"]; readonly names: Names }) {
  const { names, subject } = props;
  const { digest, requestId, fundId, keyId, sender, targets, network } = subject;
  return (
    <dl class="facts">
      {digest !== null && [<dt>Digest or hash</dt>, <dd>{<Id text={digest} />}</dd>]}
      {requestId !== null && [<dt>Request</dt>, <dd>{<Id text={requestId} />}</dd>]}
      {network !== null && [<dt>Network</dt>, <dd>{networkText(network)}</dd>]}
      {fundId !== null && [<dt>Fund</dt>, <dd>{<Named id={fundId} part="funds" names={names} />}</dd>]}
      {keyId !== null && [<dt>Key</dt>, <dd>{<Named id={keyId} part="keys" names={names} />}</dd>]}
      {sender !== null && [<dt>Sender</dt>, <dd>{<Id text={sender} />}</dd>]}
      {targets.length > 0 && [<dt>Calls</dt>, <dd>{<Targets targets={targets} />}</dd>]}
    </dl>
  );
}

/** Shows one explained thing: the sentence first, then the time line, then the cost. */
export function Explained({
  explanation,
  names = new Map(),
}: {
  readonly explanation: Explanation;
  readonly names?: Names;
}) {
  const { tone, status, sentence, advice, steps, costs, subject } = explanation;
  return (
    <article class="panel">
      <p class="lead">
        <StatusTag tone={tone} status={status} /> {sentence}
      </p>
      {advice !== null && (
        <p class="note">
          <strong>What to do:</strong> {advice}
        </p>
      )}
      {steps.length > 0 && [<h2>What happened</h2>, <TimeLine steps={steps} names={names} />]}
      {costs.length > 0 && [<h2>What it cost</h2>, <Costs costs={costs} chain={chainOfName(subject.network)} />]}
      {isNamed(subject) && [<h2>What it was</h2>, <Subject subject={subject} names={names} />]}
    </article>
  );
}
