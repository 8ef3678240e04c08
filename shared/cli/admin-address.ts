import type { Result } from "../result.ts";
import type { AdminAccess } from "./client/admin.ts";
import type { Variables } from "./platform.ts";

const TIMEOUT_MS = 30_000;
const LOOPBACK_HOSTS = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Returns true if the URL keeps an operator's token confidential on the way. */
export function isConfidential(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && LOOPBACK_HOSTS.has(hostname));
}

/** The admin API of the service with the workflows' access keys, or the reason against using it, for people. */
export type AdminAddress = Result<AdminAccess, string>;

/**
 * Returns the address of the service that made the workflows' access keys, and the token of its admin API. The
 * ADMIN_TOKEN of a deployment opens that deployment, and is never sent to another service.
 *
 * @param vars variables and secrets of the deployment.
 * @param serviceUrl address of the deployment. Null if it is unknown.
 * @param tokenElsewhere opens the service at FLOWS_BASE_URL.
 */
export function adminAddress(
  vars: Variables,
  serviceUrl: string | null,
  tokenElsewhere: string | undefined,
): AdminAddress {
  const elsewhere = vars.FLOWS_BASE_URL;
  const url = elsewhere ?? serviceUrl;
  if (url === null) return { ok: false, error: "--url https://<where it answers>" };
  if (!isConfidential(url)) return { ok: false, error: `an address with https, and not ${url}` };
  const adminToken = elsewhere === undefined ? vars.ADMIN_TOKEN : tokenElsewhere;
  if (adminToken !== undefined && adminToken !== "")
    return { ok: true, value: { serviceUrl: url.replace(/\/+$/, ""), adminToken, timeoutMs: TIMEOUT_MS } };
  const missing =
    elsewhere === undefined
      ? "ADMIN_TOKEN among the secrets"
      : `FLOWS_ADMIN_TOKEN in the environment, the ADMIN_TOKEN of the service at ${url}`;
  return { ok: false, error: missing };
}
