import { type Checked, passed, refused } from "./errors.ts";

/** The limit on path and query together. A resource of deeply nested type arguments is far shorter. */
const MAX_TARGET_CHARACTERS = 8_192;

/** The part of a request's URL below an interface's own path, exactly as it was sent. */
export interface RequestTarget {
  /** Empty, or the part from the first slash after the interface's path. */
  readonly rest: string;
  /** The segments of `rest`, not decoded. A slash at the end leaves an empty segment. */
  readonly segments: readonly string[];
  /** Empty, or the part from the question mark. */
  readonly query: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no segment may hold
const FORBIDDEN = /[/\\%\u0000-\u001f\u007f]/;

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/**
 * Returns the reason why a path's segment cannot be passed on. Null if it can. Nodes and proxies decode, join and split
 * paths each in their own way. So a segment that could become another path is refused. The others go to the endpoint
 * unchanged.
 */
function problemOf(segment: string): string | null {
  if (segment === "") return "an empty segment";
  const text = decoded(segment);
  if (text === null) return "an escape that is no UTF-8";
  if (text === "." || text === "..") return "a relative segment";
  // A percent sign that is left after decoding could be decoded again.
  return FORBIDDEN.test(text) ? "a slash, a backslash, a percent sign or a control character inside a segment" : null;
}

/**
 * Splits a request's URL without normalising it.
 *
 * @param url as the platform gives it: origin, path and query.
 * @param basePath the interface's own path, without a slash at its end.
 */
export function parseRequestTarget(url: string, basePath: string): Checked<RequestTarget> {
  const start = url.indexOf("/", url.indexOf("://") + "://".length);
  const raw = start < 0 ? "" : url.slice(start);
  if (raw.length > MAX_TARGET_CHARACTERS)
    return refused("bad_path", `path and query must have at most ${MAX_TARGET_CHARACTERS} characters`);
  if (raw.includes("#")) return refused("bad_path", "the path has a fragment: leave it out");
  const mark = raw.indexOf("?");
  const path = mark < 0 ? raw : raw.slice(0, mark);
  const query = mark < 0 ? "" : raw.slice(mark);
  if (path !== basePath && !path.startsWith(`${basePath}/`))
    return refused("unknown_path", "no such path or version: check the URL");
  const rest = path.slice(basePath.length);
  const segments = rest.split("/").slice(1);
  for (const [index, segment] of segments.entries()) {
    if (segment === "" && index === segments.length - 1) break;
    const problem = problemOf(segment);
    if (problem !== null) return refused("bad_path", `the path has ${problem}: leave that out`);
  }
  return passed({ rest, segments, query });
}
