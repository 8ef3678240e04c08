/** Names are in lower case. Whatever is in no list does not pass: lists of what to drop are never complete. */
export interface HeaderList {
  readonly names: readonly string[];
  readonly prefixes?: readonly string[];
}

export function allowedHeaders(headers: Headers, { names, prefixes = [] }: HeaderList): Headers {
  const allowed = new Headers();
  if (prefixes.length === 0) {
    for (const name of names) {
      const value = headers.get(name);
      if (value !== null) allowed.set(name, value);
    }
    return allowed;
  }
  for (const [name, value] of headers)
    if (names.includes(name) || prefixes.some((prefix) => name.startsWith(prefix))) allowed.set(name, value);
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
