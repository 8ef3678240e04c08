import type { Result } from "../result.ts";

const MAX_URL_CHARACTERS = 2_048;
const MAX_HOST_CHARACTERS = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Letters, or an internationalised one: no name of the public DNS ends in a number. */
const TOP_LABEL = /^([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
/**
 * Never names of the public DNS, or names of one's own network: RFC 6761 and RFC 6762, RFC 7686, RFC 8375, RFC 9476,
 * ICANN SAC113 (internal), and what routers, offices and clusters commonly use.
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

/** The URL as a parser normalizes it, or what is wrong with it, for the operator. */
export type WebhookUrl = Result<string, string>;

function refused(problem: string): WebhookUrl {
  return { ok: false, error: problem };
}

/**
 * Whether a URL may be a webhook's receiver: https on port 443 of a name in the public DNS, and nothing that could make
 * the service call into a network of its own. Asked when it is set, and again on every send.
 *
 * Reads the host as `fetch` will (WHATWG URL Standard, "host parsing"): there every spelling of an IPv4 address becomes
 * the dotted one, decimal, octal, hexadecimal, short, with a dot behind. What a name resolves to is for the network
 * below to judge (README.md beside this file, "Where webhooks may go"): a look-up of ours would say nothing about the one that `fetch` makes later.
 */
export function parseWebhookUrl(text: string): WebhookUrl {
  if (text.length > MAX_URL_CHARACTERS) return refused(`has more than ${MAX_URL_CHARACTERS} characters`);
  // What a URL parser drops or maps is refused, so that what is shown is what is called.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes("\\"))
    return refused("must be printable ASCII without spaces or backslashes: write international names in Punycode");
  const url = URL.parse(text);
  if (url === null) return refused("is not a URL");
  if (url.protocol !== "https:" || !/^https:\/\//i.test(text)) return refused("must begin with https://");
  const authority = text.slice("https://".length).split(/[/?#]/, 1)[0] ?? "";
  if (authority.includes("@")) return refused("must not carry credentials");
  if (url.port !== "") return refused("must be on port 443");
  if (text.includes("#")) return refused("must not have a fragment, which is never sent");
  const problem = problemOfHost(url.hostname);
  if (problem !== null) return refused(problem);
  // Whatever else a parser has made of it: encoded letters, slashes too many.
  if (authority.toLowerCase().replace(/:443$/, "") !== url.hostname) return refused("must name its host plainly");
  return { ok: true, value: url.href };
}

function problemOfHost(host: string): string | null {
  if (host.startsWith("[") || /^[0-9.]+$/.test(host)) return "must name a host, not an IP address";
  if (host.length > MAX_HOST_CHARACTERS) return "has a host name that is too long";
  const labels = host.split(".");
  const top = labels.at(-1) ?? "";
  if (PRIVATE_SUFFIXES.some((suffix) => suffix === top)) return `must not be a name under .${top}, which is not public`;
  if (labels.length < 2) return "must have a host name with a dot in it: a single label is a name of one's own network";
  if (!labels.every((label) => LABEL.test(label)) || !TOP_LABEL.test(top))
    return "must have a host name of the public DNS, without a dot at its end";
  return null;
}
