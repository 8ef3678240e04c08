const MOST_EDITS = 2;
/** A shorter beginning is that of too many words. */
const LEAST_BEGINNING = 3;

/** Returns the least number of letters to change, add or take away. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, wanted] of [...other].entries())
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === wanted ? 0 : 1)));
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Returns ", did you mean …?" for the known word that was probably meant. Empty if none is near. */
export function suggestion(word: string, known: readonly string[]): string {
  const editsOf = (name: string) =>
    word.length >= LEAST_BEGINNING && name.startsWith(word) ? 0 : editsBetween(word, name);
  const [best] = known
    .map((name) => ({ name, edits: editsOf(name) }))
    .filter(({ name, edits }) => edits <= MOST_EDITS && edits < name.length)
    .toSorted((a, b) => a.edits - b.edits);
  return best === undefined ? "" : `, did you mean ${best.name}?`;
}
