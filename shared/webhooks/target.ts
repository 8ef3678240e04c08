import type { Result } from "../result.ts";

const MAX_URL_CHARACTERS = 2_048;
const MAX_HOST_CHARACTERS = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** The top-level label: letters, or an internationalised one. No name of the public DNS ends in a number. */
const TOP_LABEL = /^([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
/**
 * Suffixes that are never names of the public DNS, or that are names of a private network. Sources: RFC 6761 and RFC
 * 6762, RFC 7686, RFC 8375, RFC 9476, ICANN SAC113 (internal), and common use in routers, offices and clusters.
 */
const PRIVATE_SUFFIXES = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "mail",
  "svc",
  "consul",
  "test",
  "invalid",
  "example",
  "onion",
  "alt",
  "arpa",
] as const;

/** The URL as a parser normalizes it, or its problem, for the operator. */
export type WebhookUrl = Result<string, string>;

function refused(problem: string): WebhookUrl {
  return { ok: false, error: problem };
}

/**
 * Checks whether a URL may be a webhook's receiver. It must be https on port 443 of a name in the public DNS. It must
 * not lead into a network of the service. The check runs when the URL is set, and again on every send.
 *
 * The host is read as `fetch` reads it (WHATWG URL Standard, "host parsing"). Every spelling of an IPv4 address
 * becomes the dotted one there: decimal, octal, hexadecimal, short, with a dot behind. The network below judges the
 * address of a name (README.md beside this file, "Where webhooks may go"). A look-up here would prove nothing about
 * the later one of `fetch`.
 */
export function parseWebhookUrl(text: string): WebhookUrl {
  if (text.length > MAX_URL_CHARACTERS) return refused(`must have at most ${MAX_URL_CHARACTERS} characters`);
  // Characters that a URL parser drops or maps are refused, so that the shown URL is the called one.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes("\\"))
    return refused("must be printable ASCII without spaces or backslashes: write international names in Punycode");
  const url = URL.parse(text);
  if (url === null) return refused("must be a URL");
  if (url.protocol !== "https:" || !/^https:\/\//i.test(text)) return refused("must begin with https://");
  const authority = text.slice("https://".length).split(/[/?#]/, 1)[0] ?? "";
  if (authority.includes("@")) return refused("must not carry credentials");
  if (url.port !== "") return refused("must be on port 443");
  if (text.includes("#")) return refused("must not have a fragment, which is never sent");
  const problem = problemOfHost(url.hostname);
  if (problem !== null) return refused(problem);
  // Refuses other changes by the parser: encoded letters, too many slashes.
  if (authority.toLowerCase().replace(/:443$/, "") !== url.hostname) return refused("must name its host plainly");
  return { ok: true, value: url.href };
}

function problemOfHost(host: string): string | null {
  if (host.startsWith("[") || /^[0-9.]+$/.test(host)) return "must name a host, not an IP address";
  if (host.length > MAX_HOST_CHARACTERS) return "must have a shorter host name";
  const labels = host.split(".");
  const top = labels.at(-1) ?? "";
  if (PRIVATE_SUFFIXES.some((suffix) => suffix === top)) return `must not be a name under .${top}, which is not public`;
  if (labels.length < 2) return "must have a host name with a dot in it: a single label is a name of one's own network";
  if (!labels.every((label) => LABEL.test(label)) || !TOP_LABEL.test(top))
    return "must have a host name of the public DNS, without a dot at its end";
  return null;
}
