/**
 * The headers that pass, in lower case. A header in no list does not pass: lists of headers to drop are never complete.
 */
export interface HeaderList {
  readonly names: readonly string[];
  readonly prefixes?: readonly string[];
}

/**
 * Header values by lower-case name. Each step into the runtime's own `Headers` costs time, so headers that are set at
 * once stay in a record.
 */
export type HeaderRecord = Readonly<Record<string, string>>;

/** Returns the headers that a list lets pass. */
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
