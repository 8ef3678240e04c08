import type { Refusal } from "../errors.ts";
import { discardBody } from "../http/bounded-body.ts";
import { isJson } from "../http/media-type.ts";
import { isFromPage, PAGE_REFUSAL } from "../http/origin.ts";
import { MAX_BODY_BYTES, readRequestText } from "./json.ts";
import { type ParsedRequest, readBody, unreadable } from "./request.ts";

/** A refusal of a whole HTTP request. */
export interface HttpRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly refusal: Refusal;
}

/** Makes a refusal of the request's form. */
export function httpRefusal(
  status: number,
  details: string,
  headers: Readonly<Record<string, string>> = {},
): HttpRefusal {
  return { status, headers, refusal: { reason: "invalid_request", details } };
}

/** Refuses browsers. This comes first: they must learn nothing else. */
export function refusalOfBrowser(request: Request): HttpRefusal | null {
  return isFromPage(request.headers) ? { status: 403, refusal: PAGE_REFUSAL } : null;
}

/** Refuses by a request's line and headers alone. Null if they are right. */
export function refusalOfHead(request: Request): HttpRefusal | null {
  const browser = refusalOfBrowser(request);
  if (browser !== null) return browser;
  if (request.method !== "POST") return httpRefusal(405, "only POST is answered", { allow: "POST" });
  if (!isJson(request.headers)) return httpRefusal(415, "content-type must be application/json");
  if (Number(request.headers.get("content-length") ?? "0") > MAX_BODY_BYTES) return tooLong();
  return null;
}

function tooLong(): HttpRefusal {
  return httpRefusal(413, `the body must have at most ${MAX_BODY_BYTES} bytes`);
}

/** Reads the body even if the head refuses it, because the refusal has to carry the ids. */
export async function readRequest(
  request: Request,
  head: HttpRefusal | null,
): Promise<{ readonly body: ParsedRequest; readonly refused: HttpRefusal | null }> {
  const unread = (refused: HttpRefusal) => {
    const first = head ?? refused;
    return { body: unreadable(first.refusal), refused: first };
  };
  if (head?.status === 413) {
    await discardBody(request.body);
    return unread(head);
  }
  let text: string | null;
  try {
    text = await readRequestText(request, MAX_BODY_BYTES);
  } catch {
    const details = "the body is not complete UTF-8 text: send it again as UTF-8";
    return unread({ status: 200, refusal: { reason: "parse_error", details } });
  }
  if (text === null) return unread(tooLong());
  const read = readBody(text);
  return read.ok ? { body: read.value, refused: head } : unread({ status: 200, refusal: read.error });
}
