import * as z from "zod";
import { type Network, networks } from "./networks.ts";

const MAX_NODES_PER_NETWORK = 8;
const SECRET_BYTES = 32;

/** A variable or secret that is missing or malformed: the text names it and the fix. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Versioned 32-byte secrets, `1:<base64>,2:<base64>`: the highest version is current, older ones still open. */
export interface VersionedSecrets {
  readonly current: number;
  readonly byVersion: ReadonlyMap<number, Uint8Array>;
}

export interface ServiceSecrets {
  readonly masterKeys: VersionedSecrets;
  readonly keyPeppers: VersionedSecrets;
  readonly adminToken: string;
}

export interface FlowsConfig {
  /** Authenticates the app's own back end, which then names its user in `X-User-Id`. */
  readonly callerSecret: string;
  /** The access key that the workflows use on Sui. */
  readonly suiKey: string;
  /** Where the service answers; null: in this process. */
  readonly baseUrl: string | null;
}

export interface Config {
  readonly region: string;
  /** Null where this deployment runs the workflows only. */
  readonly service: ServiceSecrets | null;
  /** Null where the workflows are not configured. */
  readonly flows: FlowsConfig | null;
  readonly nodes: Readonly<Record<Network, readonly string[]>>;
  /** Zero except in tests, where it moves the service's clock. */
  readonly clockOffsetMs: number;
}

function versionedSecrets(name: string, text: string): VersionedSecrets {
  const byVersion = new Map<number, Uint8Array>();
  for (const part of text.split(",")) {
    const [, version, base64] = /^([1-9][0-9]{0,2}):([A-Za-z0-9+/]{43}=)$/.exec(part.trim()) ?? [];
    if (version === undefined || base64 === undefined || Number(version) > 255)
      throw new ConfigError(
        `${name} must be a list like 1:<base64 of 32 bytes>. Make one with: openssl rand -base64 32`,
      );
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    if (bytes.length !== SECRET_BYTES || byVersion.has(Number(version)))
      throw new ConfigError(`${name} has version ${version} twice, or not 32 bytes under it`);
    byVersion.set(Number(version), bytes);
  }
  return { current: Math.max(...byVersion.keys()), byVersion };
}

const urlSchema = z.url({ protocol: /^https?$/ });

function nodeList(name: string, text: string | undefined): readonly string[] {
  const urls = (text ?? "").split(/\s+/).filter((url) => url !== "");
  if (urls.length > MAX_NODES_PER_NETWORK)
    throw new ConfigError(`${name} names more than ${MAX_NODES_PER_NETWORK} nodes`);
  // By its number, because providers put keys into their URLs and this text is shown to callers.
  for (const [index, url] of urls.entries())
    if (!urlSchema.safeParse(url).success) throw new ConfigError(`${name}: entry ${index + 1} is not an http(s) URL`);
  return urls.map((url) => url.replace(/\/+$/, ""));
}

/** As a bearer token it travels in a header, so it has no spaces. */
const TOKEN = /^[\x21-\x7e]{24,}$/;
const TOKEN_FORM = "at least 24 printable ASCII characters without spaces";

function serviceSecrets(text: (name: string) => string | undefined): ServiceSecrets | null {
  const names = ["MASTER_KEYS", "KEY_PEPPERS", "ADMIN_TOKEN"] as const;
  const missing = names.filter((name) => text(name) === undefined);
  if (missing.length === names.length) return null;
  if (missing.length > 0)
    throw new ConfigError(
      `${missing.join(" and ")} missing: the service needs ${names.join(", ")} together (or none of them, to run the workflows only)`,
    );
  const adminToken = text("ADMIN_TOKEN") ?? "";
  if (!TOKEN.test(adminToken))
    throw new ConfigError(`ADMIN_TOKEN must have ${TOKEN_FORM}. Make one with: openssl rand -base64 32`);
  return {
    masterKeys: versionedSecrets("MASTER_KEYS", text("MASTER_KEYS") ?? ""),
    keyPeppers: versionedSecrets("KEY_PEPPERS", text("KEY_PEPPERS") ?? ""),
    adminToken,
  };
}

function flowsConfig(text: (name: string) => string | undefined, withService: boolean): FlowsConfig | null {
  const callerSecret = text("FLOWS_CALLER_SECRET");
  const suiKey = text("FLOWS_SUI_KEY");
  const baseUrl = text("FLOWS_BASE_URL") ?? null;
  if (callerSecret === undefined && suiKey === undefined) return null;
  if (callerSecret === undefined || suiKey === undefined)
    throw new ConfigError("the workflows need FLOWS_CALLER_SECRET and FLOWS_SUI_KEY together");
  if (!TOKEN.test(callerSecret)) throw new ConfigError(`FLOWS_CALLER_SECRET must have ${TOKEN_FORM}`);
  if (baseUrl !== null && !urlSchema.safeParse(baseUrl).success)
    throw new ConfigError("FLOWS_BASE_URL must be the http(s) URL of the service");
  if (baseUrl === null && !withService)
    throw new ConfigError(
      "FLOWS_BASE_URL missing: without the service's secrets the workflows need the URL of a service",
    );
  return { callerSecret, suiKey, baseUrl: baseUrl?.replace(/\/+$/, "") ?? null };
}

/**
 * Reads the environment once. Unset and empty are the same, so that an empty line in a secrets file is not a secret.
 *
 * @throws ConfigError naming the variable and the fix.
 */
export function parseConfig(env: Readonly<Record<string, unknown>>): Config {
  const text = (name: string): string | undefined => {
    const value = env[name];
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const region = text("REGION") ?? "us1";
  if (!/^[a-z]{2}[0-9]{1,2}$/.test(region)) throw new ConfigError("REGION must look like us1");
  const service = serviceSecrets(text);
  const flows = flowsConfig(text, service !== null);
  if (service === null && flows === null)
    throw new ConfigError(
      "nothing is configured: set MASTER_KEYS, KEY_PEPPERS and ADMIN_TOKEN for the service, or FLOWS_CALLER_SECRET and FLOWS_SUI_KEY for the workflows",
    );
  const offset = text("CLOCK_OFFSET_MS");
  if (offset !== undefined && text("STAGE") !== "test")
    throw new ConfigError("CLOCK_OFFSET_MS is accepted only with STAGE=test: remove it");
  const clockOffsetMs = Number(offset ?? "0");
  if (!Number.isSafeInteger(clockOffsetMs)) throw new ConfigError("CLOCK_OFFSET_MS must be a whole number");
  const nodes = Object.fromEntries(
    networks.map((network) => [network, nodeList(`${network}_NODES`, text(`${network}_NODES`))]),
  ) as Record<Network, readonly string[]>;
  return { region, service, flows, nodes, clockOffsetMs };
}
