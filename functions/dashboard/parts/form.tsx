import type { Child } from "hono/jsx";
import type { Problem } from "../../../shared/http/problem.ts";
import { CSRF_FIELD } from "../entry/form.ts";
import { sentence } from "../problem.tsx";
import { SURE_FIELD, type Visit } from "../visit.ts";
import { faultWords, formFault } from "./fault-words.ts";

/** The field that binds a form to its session. */
export function CsrfField({ visit }: { readonly visit: Pick<Visit, "csrf"> }) {
  return <input type="hidden" name={CSRF_FIELD} value={visit.csrf} />;
}

/** A form that changes something. The refusal of its last sending is shown above its fields. */
export function Form(props: {
  readonly visit: Pick<Visit, "csrf">;
  readonly action: string;
  readonly problem?: Problem | null | undefined;
  readonly class?: string;
  readonly children?: Child;
}) {
  const { visit, action, problem, children } = props;
  return (
    <form method="post" action={action} class={props.class ?? "stack"}>
      <CsrfField visit={visit} />
      {problem ? (
        <p class="note bad" role="alert">
          {sentence(formFault(problem.detail))}
        </p>
      ) : null}
      {children}
    </form>
  );
}

/** Returns a refusal's message about a field. Its path in the body may have parts: `limits.qps`. */
export function faultOf(problem: Problem | null | undefined, path: string): string | null {
  const message = problem?.errors?.find((each) => each.path === path)?.message;
  return message === undefined ? null : faultWords(message);
}

/** A field with its label, its hint, and the service's refusal of it. */
export function Field(props: {
  readonly name: string;
  readonly label: string;
  readonly hint?: Child;
  readonly value?: string | undefined;
  readonly type?: string;
  readonly required?: boolean;
  readonly autofocus?: boolean;
  readonly inputmode?: "decimal" | "numeric";
  readonly maxlength?: number;
  readonly problem?: Problem | null | undefined;
  /** The field's path in the body, if it is not its name. */
  readonly path?: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}) {
  const { name, label, hint, value = "", type = "text", problem, options, path = name, ...rest } = props;
  const fault = faultOf(problem, path);
  const ids = [fault === null ? [] : `${name}-fault`, hint === undefined ? [] : `${name}-hint`].flat().join(" ");
  const described = {
    "aria-describedby": ids === "" ? undefined : ids,
    "aria-invalid": fault === null ? undefined : ("true" as const),
  };
  return (
    <div class="field">
      <label for={`f-${name}`}>{label}</label>
      {options === undefined ? (
        <input id={`f-${name}`} name={name} type={type} value={value} autocomplete="off" {...rest} {...described} />
      ) : (
        <select id={`f-${name}`} name={name} {...described}>
          {options.map((option) => (
            <option value={option.value} selected={option.value === value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
      {fault === null ? null : (
        <p class="fault" id={`${name}-fault`}>
          {sentence(fault)}
        </p>
      )}
      {hint === undefined ? null : (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** The box that a person ticks before a dangerous form is sent. Its text states the cost of the form. */
export function Sure({ children }: { readonly children?: Child }) {
  return (
    <label class="choice">
      <input type="checkbox" name={SURE_FIELD} value="yes" required />
      <span>{children}</span>
    </label>
  );
}

/**
 * The key of a form that makes an item. If the form is sent twice, the item is made once. A page that answers a form
 * with a new form, for another item, says so.
 */
export function OnceField({
  visit,
  isNew = false,
}: {
  readonly visit: Pick<Visit, "form" | "newKey">;
  readonly isNew?: boolean;
}) {
  const kept = isNew ? null : visit.form.get("once");
  return <input type="hidden" name="once" value={kept ?? visit.newKey()} />;
}
