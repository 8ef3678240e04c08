/** Characters of two columns: of East Asian scripts, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const MARK = /^\p{M}$/u;

function widthOfCharacter(character: string): number {
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Returns the number of columns that an inert text takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

/** Returns the text, or its beginning and an ellipsis if it is wider. */
export function fitted(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let [shown, width] = ["", 0];
  for (const character of text) {
    width += widthOfCharacter(character);
    if (width > columns - 1) break;
    shown += character;
  }
  return `${shown}…`;
}

/** Breaks a text at spaces into lines of at most so many columns. A longer word has a line of its own. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
