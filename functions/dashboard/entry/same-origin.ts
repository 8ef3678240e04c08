/**
 * Returns whether a page of the dashboard sent a form. Browsers send `Sec-Fetch-Site`. Some browsers omit it over plain
 * HTTP. The host of `Origin` then decides. A request without both comes from no browser.
 */
export function isFromOwnPage(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  return new URL(origin).host === headers.get("host");
}
