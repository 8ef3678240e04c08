import type { Problem } from "../../../shared/http/problem.ts";

/** The texts of a form's fields, by the name of the field. */
export type FieldTexts = Readonly<Record<string, string>>;

const originalOf = (name: string) => `was.${name}`;

/** The texts that the form's page was made with. They show the changes of this person and of others. */
export function Originals({ texts, form }: { readonly texts: FieldTexts; readonly form: URLSearchParams }) {
  return (
    <>
      {Object.entries(texts).map(([name, text]) => (
        <input type="hidden" name={originalOf(name)} value={form.get(originalOf(name)) ?? text} />
      ))}
    </>
  );
}

/** A browser sends a line feed with a carriage return. */
function isSame(text: string | null, other: string): boolean {
  return text !== null && text.replaceAll("\r\n", "\n").trim() === other.trim();
}

/**
 * Returns the names of the fields that a person has changed. Null if another person has changed a field since the page
 * was made, because the form would undo that change.
 */
export function changedFields(form: URLSearchParams, present: FieldTexts): ReadonlySet<string> | null {
  const fields = Object.entries(present);
  const changed = fields.filter(([name, text]) => !isSame(form.get(name) ?? "", text)).map(([name]) => name);
  // A form that was sent twice has nothing left to change.
  const isCurrent = changed.length === 0 || fields.every(([name, text]) => isSame(form.get(originalOf(name)), text));
  return isCurrent ? new Set(changed) : null;
}

/** The refusal of a form after another person's change. */
export const STALE: Problem = {
  status: 409,
  detail: "Somebody has changed this since you opened the form, so nothing is saved. Below is what holds now",
};
