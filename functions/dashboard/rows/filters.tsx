import type { Problem } from "../../../shared/http/problem.ts";
import { Field } from "../parts/form.tsx";
import { withQuery } from "../paths.ts";
import { sentence } from "../problem.tsx";

/** A value of a choice, and the words for it. */
interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A field of a filter. With options it is a choice, and its first option is any. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: "date";
  /** A text is a value whose label is the text itself. */
  readonly options?: readonly (string | Choice)[];
}

type Query = Readonly<Record<string, string>>;

/** Returns the fields of a query that a person has filled in. An empty field filters nothing. */
export function filledIn(query: Query, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query[name]?.trim() ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}

function choiceOf(option: string | Choice): Choice {
  return typeof option === "string" ? { value: option, label: option.replaceAll("_", " ") } : option;
}

/** A form that filters a list. Its fields are the query of the page, so that a filtered list has a link. */
export function Filters(props: {
  readonly action: string;
  readonly fields: readonly FilterField[];
  readonly query: Query;
  readonly problem: Problem | null;
  /** Fields of the query that stay as they are. */
  readonly kept?: Query;
}) {
  const { action, fields, query, problem, kept = {} } = props;
  const isFiltered = fields.some(({ name }) => (query[name] ?? "") !== "");
  return (
    <details open={isFiltered || problem !== null}>
      <summary>Filter</summary>
      <form class="filters" method="get" action={action} aria-label="Filter the list">
        {Object.entries(kept).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {fields.map(({ name, label, hint, type, options }) => (
          <Field
            name={name}
            label={label}
            value={query[name] ?? ""}
            problem={problem}
            {...(hint !== undefined && { hint })}
            {...(type !== undefined && { type })}
            {...(options !== undefined && {
              options: [{ value: "", label: "any" }, ...options.map(choiceOf)],
            })}
          />
        ))}
        <div class="acts">
          <button type="submit">Filter</button>
          {isFiltered && <a href={withQuery(action, kept)}>Show all</a>}
        </div>
      </form>
    </details>
  );
}

/** The link to the next page of a list, and how to get all of it. */
export function More(props: {
  readonly action: string;
  readonly query: Query;
  readonly nextCursor: string | null;
  readonly isFirst: boolean;
}) {
  const { action, query, nextCursor, isFirst } = props;
  if (nextCursor === null && isFirst) return null;
  return (
    <p class="more">
      {!isFirst && <a href={withQuery(action, query)}>Newest</a>}
      {nextCursor === null ? (
        <span class="dim">This is the end of the list.</span>
      ) : (
        <a class="button" href={withQuery(action, { ...query, cursor: nextCursor })} rel="next">
          Next page
        </a>
      )}
    </p>
  );
}

/** The text of a list without rows: a refusal, or a notice that it is empty. */
export function NoRows(props: {
  readonly problem: Problem | null;
  readonly isFiltered: boolean;
  readonly empty: string;
}) {
  const { problem, isFiltered, empty } = props;
  if (problem !== null)
    return (
      <p class="note bad" role="alert">
        {sentence(problem.detail)}
      </p>
    );
  return <p class="empty">{isFiltered ? "No row fits this filter on this page." : empty}</p>;
}
