function contentType(headers: Headers): string {
  return headers.get("content-type") ?? "";
}

/** Returns whether a body is `application/json`, with or without parameters. */
export function isJson(headers: Headers): boolean {
  return /^application\/json[ \t]*(?:;|$)/i.test(contentType(headers));
}

/** Returns whether a body is JSON of any kind: `application/json`, or a type that ends in `+json`. */
export function isAnyJson(headers: Headers): boolean {
  return /^application\/(?:[\w.-]+\+)?json[ \t]*(?:;|$)/i.test(contentType(headers));
}
