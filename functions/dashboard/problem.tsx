import type { Problem } from "../../shared/http/problem.ts";
import { DASHBOARD } from "./paths.ts";

const NEXT: Readonly<Partial<Record<Problem["status"], string>>> = {
  403: "An owner of this service can do it, or can make you a token with another role.",
  429: "Wait a few seconds, then load the page again.",
  503: "Nothing is lost. Wait a few seconds, then load the page again.",
};

/** A refusal or a fault as a page: what happened, and what to do now. */
export function ProblemPage(props: {
  readonly title: string;
  readonly problem: Problem;
  readonly requestId: string | undefined;
}) {
  const { title, problem, requestId } = props;
  const { status, detail, errors = [] } = problem;
  return (
    <section class="panel narrow">
      <h1>{title}</h1>
      <p class="lead">{sentence(detail)}</p>
      {errors.length > 0 ? (
        <ul>
          {errors.map(({ path, message }) => (
            <li>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      ) : null}
      {NEXT[status] === undefined ? null : <p>{NEXT[status]}</p>}
      <p>
        <a href={DASHBOARD}>Go to the overview</a>
      </p>
      {requestId === undefined ? null : (
        <p class="hint">
          Request <code>{requestId}</code>
        </p>
      )}
    </section>
  );
}

/** Writes a text of the API as a sentence. */
export function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
