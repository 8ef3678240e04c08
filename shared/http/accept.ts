/** Quoted text of a parameter. It may hold a comma, and no range depends on it. */
const QUOTED = /"(?:\\.|[^"\\])*"/g;
const QUALITY = /;\s*q\s*=\s*([^\s;]+)/i;

function readRange(text: string) {
  const type = (text.split(";", 1)[0] ?? "").trim().toLowerCase();
  const quality = Number(QUALITY.exec(text)?.[1] ?? 1);
  return { type, isGroup: type.endsWith("/*"), quality: quality <= 1 ? quality : 1 };
}

/**
 * Returns the media type that an Accept header prefers of those that are served. Of types with the same quality, the
 * first one of the header is preferred. Null if it names none of them. A range of all types names none.
 */
export function preferredType<T extends string>(accept: string, served: readonly T[]): T | null {
  const ranges = accept.replaceAll(QUOTED, "").split(",").map(readRange);
  const named = new Set(ranges.map(({ type }) => type));
  const byPreference = ranges
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality || Number(a.isGroup) - Number(b.isGroup));
  for (const { type, isGroup } of byPreference) {
    const found = served.find((one) => (isGroup ? one.startsWith(type.slice(0, -1)) && !named.has(one) : one === type));
    if (found !== undefined) return found;
  }
  return null;
}
