/**
 * Returns whether a form was sent by a page of the dashboard. Browsers say so in `Sec-Fetch-Site`. Over plain HTTP some
 * leave it out, and then the host of `Origin` decides. A request without both comes from no browser.
 */
export function isFromOwnPage(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  return new URL(origin).host === headers.get("host");
}
