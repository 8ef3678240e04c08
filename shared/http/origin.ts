import type { Refusal } from "../errors.ts";

/** Returns whether a page sent the request. Browsers name the page's origin with every POST. */
export function isFromPage(headers: Headers): boolean {
  return headers.has("origin");
}

/** The refusal of a page by an interface of the service, whose callers are back ends. */
export const PAGE_REFUSAL = {
  reason: "browser_origin",
  details: "call the service from a back end: browsers are refused",
} as const satisfies Refusal;
