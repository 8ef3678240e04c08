import type { HtmlEscapedString } from "hono/utils/html";
import type { Env } from "../../shared/bindings/env.ts";
import type { Operator } from "../../shared/bindings/operator.ts";
import type { Problem } from "../../shared/http/problem.ts";
import type { Answer } from "../service/admin/route/route.ts";
import type { Answers, RouteName } from "./answers.ts";
import type { CallInput, DashboardGround } from "./ground.ts";

/** Markup, as JSX makes it. All text in it is escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

/** A visit of a page by an operator. */
export interface Visit {
  readonly env: Env;
  readonly operator: Operator;
  readonly ground: DashboardGround;
  /** Every form of the page carries it. */
  readonly csrf: string;
  readonly nowMs: number;
  readonly origin: string;
  readonly path: string;
  /** The parts of the path that its pattern names. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The fields of the form. Empty for a GET. */
  readonly form: URLSearchParams;
  /** Returns whether the role may call a route. A page shows no form that it may not send. */
  may(name: RouteName): boolean;
  maySend(name: RouteName, field: string): boolean;
  /** Calls a route of the admin API. A fault is logged, and is a problem here. */
  call<Name extends RouteName>(name: Name, input?: CallInput): Promise<Answer<Answers[Name]>>;
  /** Returns a new key for a form that makes something. A form that is sent twice makes it once. */
  newKey(): string;
}

/** The answer to a visit. */
export type Reply =
  | {
      readonly kind: "page";
      readonly title: string;
      readonly body: Markup;
      readonly status?: number;
    }
  | { readonly kind: "go"; readonly to: string };

/** Answers with a page. */
export function page(title: string, body: Markup, status = 200): Reply {
  return { kind: "page", title, body, status };
}

/** Sends the visitor to another page, so that a reload does not send the form again. */
export function go(to: string): Reply {
  return { kind: "go", to };
}

/** A refusal as an exception, for the handler of a page that cannot be shown without the answer. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Returns the value of an answer. @throws Refused, which the dashboard shows as a page. */
export function required<T>(answered: Answer<T>): T {
  if (!answered.ok) throw new Refused(answered.error);
  return answered.value;
}

/** The field of the box that a person ticks before a dangerous form is sent. */
export const SURE_FIELD = "sure";

/** Refuses a dangerous form whose box is not ticked. @throws Refused */
export function requireSure({ form }: Pick<Visit, "form">): void {
  if (form.get(SURE_FIELD) === "yes") return;
  throw new Refused({
    status: 400,
    detail: "Nothing is done yet. Go back, tick the box that says what this costs, and send the form again.",
  });
}

/** A page of the dashboard. */
export interface DashboardPage {
  readonly method: "GET" | "POST";
  /** A part that begins with a colon is any text: `/funds/:id`. */
  readonly path: string;
  /** The routes that the page cannot do without. Any other role is refused. */
  readonly needs: readonly RouteName[];
  respond(visit: Visit): Promise<Reply>;
}
