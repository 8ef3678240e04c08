import type { Explanation, Tone } from "../../../shared/fund/explain/words/explanation.ts";
import { chainOfName, timeText } from "../../../shared/fund/explain/words/readable.ts";
import type { Chain } from "../../../shared/networks.ts";
import { Amount } from "./amount.tsx";
import { Id, Targets } from "./id.tsx";

/** The class of a tag, by how the thing stands. The status says it in words, too. */
const TONE_CLASS: Readonly<Record<Tone, string>> = { good: "ok", waiting: "warn", bad: "bad", unknown: "" };

function TimeLine({ steps }: Pick<Explanation, "steps">) {
  return (
    <ol class="time">
      {steps.map(({ at, title, text, tone }) => (
        <li class={tone === "bad" ? "bad" : undefined}>
          <time datetime={at} class="dim">
            {timeText(at)}
          </time>{" "}
          <strong>{title}</strong> <span>{text}</span>
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

function Subject({ digest, requestId, fundId, keyId, sender, targets, network }: Explanation["subject"]) {
  const link = (path: string, id: string) => `/dashboard/${path}/${id}`;
  return (
    <dl class="facts">
      {digest !== null && [<dt>Digest or hash</dt>, <dd>{<Id text={digest} />}</dd>]}
      {requestId !== null && [<dt>Request</dt>, <dd>{<Id text={requestId} />}</dd>]}
      {network !== null && [<dt>Network</dt>, <dd>{network}</dd>]}
      {fundId !== null && [<dt>Fund</dt>, <dd>{<Id text={fundId} href={link("funds", fundId)} />}</dd>]}
      {keyId !== null && [<dt>Key</dt>, <dd>{<Id text={keyId} href={link("keys", keyId)} />}</dd>]}
      {sender !== null && [<dt>Sender</dt>, <dd>{<Id text={sender} />}</dd>]}
      {targets.length > 0 && [<dt>Calls</dt>, <dd>{<Targets targets={targets} />}</dd>]}
    </dl>
  );
}

/** Shows one explained thing: the sentence first, then the time line, then the cost. */
export function Explained({ explanation, level = 2 }: { readonly explanation: Explanation; readonly level?: 2 | 3 }) {
  const { tone, status, sentence, advice, steps, costs, subject } = explanation;
  const Heading = level === 2 ? "h2" : "h3";
  return (
    <article class="panel">
      <p class="lead">
        <span class={`tag ${TONE_CLASS[tone]}`}>{status}</span> {sentence}
      </p>
      {advice !== null && (
        <p class="note">
          <strong>What to do:</strong> {advice}
        </p>
      )}
      {steps.length > 0 && [<Heading>What happened</Heading>, <TimeLine steps={steps} />]}
      {costs.length > 0 && [
        <Heading>What it cost</Heading>,
        <Costs costs={costs} chain={chainOfName(subject.network)} />,
      ]}
      <Heading>What it was</Heading>
      <Subject {...subject} />
    </article>
  );
}
