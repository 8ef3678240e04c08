/** Names are in lower case. Whatever is in no list does not pass: lists of what to drop are never complete. */
export interface HeaderList {
  readonly names: readonly string[];
  readonly prefixes?: readonly string[];
}

/** By name, in lower case. Each step into the runtime's own `Headers` costs, so what is set at once is kept apart from it. */
export type HeaderRecord = Readonly<Record<string, string>>;

export function allowedHeaders(headers: Headers, { names, prefixes = [] }: HeaderList): HeaderRecord {
  const allowed: Record<string, string> = {};
  if (prefixes.length === 0) {
    for (const name of names) {
      const value = headers.get(name);
      if (value !== null) allowed[name] = value;
    }
    return allowed;
  }
  headers.forEach((value, name) => {
    if (names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix))) allowed[name] = value;
  });
  return allowed;
}

/**
 * How long a body is that is read and passed on; null where nobody says. What is read was decoded on the way, so that
 * the length of an encoded body is another one's.
 */
export function bodyLength(headers: Headers): number | null {
  if (headers.has("content-encoding")) return null;
  const text = headers.get("content-length");
  return text !== null && /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
}
