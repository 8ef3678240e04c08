import type { Child } from "hono/jsx";
import type { Problem } from "../../../shared/http/problem.ts";
import type { Network } from "../../../shared/network-names.ts";
import type { Fund, Key, Project, Sponsorship } from "../answers.ts";
import { pathTo, withQuery } from "../paths.ts";
import type { Visit } from "../visit.ts";

/** The parts of the set-up. Each part is null until it is made. */
export interface StartData {
  readonly visit: Visit;
  readonly project: Project | null;
  readonly fund: Fund | null;
  readonly keys: readonly Key[];
  /** The new key itself, on the one page that shows it. */
  readonly secret: string | null;
  /** The newest sponsorship of the fund. Null without one. */
  readonly seen: Sponsorship | null;
  /** The networks that have a node, which are those that a fund can be on. */
  readonly networks: readonly Network[];
  readonly problem: Problem | null;
}

type State = "done" | "now" | "later";

/** One step of the set-up. */
export function Step(props: { readonly title: string; readonly state: State; readonly children?: Child }) {
  const { title, state, children } = props;
  return (
    <li data-state={state} aria-current={state === "now" ? "step" : undefined}>
      <div>
        <h2>
          {title} {state === "done" ? <small>done</small> : null}
        </h2>
        {children}
      </div>
    </li>
  );
}

/** Returns the path of the set-up of a fund. */
export function backHere(fund: Fund): string {
  return withQuery(pathTo("start"), { project: fund.projectId, fund: fund.id });
}
