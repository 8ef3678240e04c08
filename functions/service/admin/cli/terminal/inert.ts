/**
 * Characters that a terminal obeys or hides: controls, bidirectional marks, invisible ones, line and paragraph
 * separators, and halves of surrogate pairs. A name with them could move the cursor, hide text or swap digits.
 */
const ACTIVE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
/** The same in JSON, whose own layout has line feeds. */
const ACTIVE_IN_JSON = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns a text of others in a form that no terminal obeys: `\u{1b}` instead of an escape. */
export function inert(text: string): string {
  return text.replace(ACTIVE, (active) => `\\u{${(active.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Returns the same for a text of several lines. Line feeds and tabs stay. */
export function inertLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.split("\t").map(inert).join("\t"))
    .join("\n");
}

/** Returns JSON that means the same and that no terminal obeys. */
export function inertJson(json: string): string {
  return json.replace(ACTIVE_IN_JSON, (active) =>
    [...Array(active.length).keys()]
      .map((index) => `\\u${active.charCodeAt(index).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
