import * as z from "zod";
import { EXAMPLE_ISSUER } from "../access/example-issuer.ts";
import type { JwtTerms } from "../access/jwt.ts";
import { networkOfKey } from "../access/key-format.ts";
import { type AptosNetwork, aptosNetworks, type Chain, type Network, networks } from "../networks.ts";
import { parseSecret } from "../webhooks/sign.ts";
import { CALLER_ISSUER } from "../workflow/wallet-clients.ts";
import type { NodeKey, NodeKeys } from "./node-keys.ts";
import type { VersionedSecrets } from "./secrets.ts";

/** Each may hang, and Workers let a request wait for the heads of six answers at once. */
const MAX_NODES_PER_NETWORK = 6;
const SECRET_BYTES = 32;

/** A variable or secret that is missing or malformed: the text names it and the fix. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export interface ServiceSecrets {
  readonly masterKeys: VersionedSecrets;
  readonly keyPeppers: VersionedSecrets;
  readonly adminToken: string;
}

/** The variables with the access keys that the workflows use on each chain. */
export const FLOWS_KEY_VARIABLES: Readonly<Record<Chain, string>> = {
  sui: "FLOWS_SUI_KEY",
  aptos: "FLOWS_APTOS_KEY",
};

export interface FlowsConfig {
  /** Authenticates the app's own back end, which then names its user in `X-User-Id`. Null: no back end calls. */
  readonly callerSecret: string | null;
  /** Whose tokens authenticate users who call by themselves. Null: no user does. */
  readonly jwt: JwtTerms | null;
  /** Pages that may call with a user's token: exact origins, `https://app.example.com`. */
  readonly origins: readonly string[];
  /** The access key that the workflows use on each chain; null: the chain is not configured. */
  readonly accessKeys: Readonly<Record<Chain, string | null>>;
  /** What the secrets of the app's wallets are made from, 32 bytes; null: the workflows have no wallets. */
  readonly secret: Uint8Array | null;
  /** Where the service answers; null: in this process. */
  readonly baseUrl: string | null;
  /** What senders of webhooks sign with, by the webhook's name: several while one is being replaced. */
  readonly webhookSecrets: ReadonlyMap<string, readonly Uint8Array[]>;
}

/** Needed by the example page, whose users sign in by a name alone. */
export interface ExampleConfig {
  /** FLOWS_SECRET, 32 bytes. */
  readonly secret: Uint8Array;
}

export interface Config {
  readonly region: string;
  /** Null where this deployment runs the workflows only. */
  readonly service: ServiceSecrets | null;
  /** Null where the workflows are not configured. */
  readonly flows: FlowsConfig | null;
  /** Null where the example page is off. */
  readonly example: ExampleConfig | null;
  readonly nodes: Readonly<Record<Network, readonly string[]>>;
  readonly indexers: Readonly<Record<AptosNetwork, readonly string[]>>;
  /** For nodes and indexers of providers who want one. */
  readonly nodeKeys: NodeKeys;
  /** Where the service's halves of session tokens are kept; null: in KV where it is bound, in objects otherwise. */
  readonly sessionStore: "kv" | "object" | null;
  /** Funds pay out to these addresses only; null: to any. */
  readonly withdrawAddresses: readonly string[] | null;
  /** Zero except in tests, where it moves the service's clock. */
  readonly clockOffsetMs: number;
}

function bytesOfBase64(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

function versionedSecrets(name: string, text: string): VersionedSecrets {
  const byVersion = new Map<number, Uint8Array>();
  for (const part of text.split(",")) {
    const [, version, base64] = /^([1-9][0-9]{0,2}):([A-Za-z0-9+/]{43}=)$/.exec(part.trim()) ?? [];
    if (version === undefined || base64 === undefined || Number(version) > 255)
      throw new ConfigError(
        `${name} must be a list like 1:<base64 of 32 bytes>. Make one with: openssl rand -base64 32`,
      );
    const bytes = bytesOfBase64(base64);
    if (bytes.length !== SECRET_BYTES || byVersion.has(Number(version)))
      throw new ConfigError(`${name} has version ${version} twice, or not 32 bytes under it`);
    byVersion.set(Number(version), bytes);
  }
  return { current: Math.max(...byVersion.keys()), byVersion };
}

const urlSchema = z.url({ protocol: /^https?$/ });

/** What is asked for goes behind it. */
function isBaseUrl(text: string): boolean {
  if (!urlSchema.safeParse(text).success || /[?#]/.test(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

function nodeList(name: string, text: string | undefined): readonly string[] {
  const urls = (text ?? "").split(/\s+/).filter((url) => url !== "");
  if (urls.length > MAX_NODES_PER_NETWORK)
    throw new ConfigError(`${name} names more than ${MAX_NODES_PER_NETWORK} nodes`);
  // By its number, because providers put keys into their URLs and this text is shown to callers.
  for (const [index, url] of urls.entries())
    if (!isBaseUrl(url))
      throw new ConfigError(`${name}: entry ${index + 1} is not an http(s) URL without a query, a fragment or a user`);
  return urls.map((url) => url.replace(/\/+$/, ""));
}

const MAX_NODE_KEYS = 16;

/** A key that no endpoint gets would be a mistyped origin, and its absence an outage that nobody understands. */
function nodeKeys(text: string | undefined, endpoints: readonly string[]): NodeKeys {
  const keys = new Map<string, NodeKey>();
  const origins = new Set(endpoints.map((url) => new URL(url).origin));
  for (const [index, entry] of (text?.split(/\s+/) ?? []).entries()) {
    const [, origin, header, value] = /^([^=]+)=([a-z][a-z0-9-]{0,63}):([\x21-\x7e]{1,1024})$/.exec(entry) ?? [];
    if (origin === undefined || header === undefined || value === undefined || index >= MAX_NODE_KEYS)
      throw new ConfigError(
        `NODE_KEYS: entry ${index + 1} must be like https://nodes.example.com=authorization:<key>, at most ${MAX_NODE_KEYS} of them, separated by spaces`,
      );
    if (!origins.has(origin) || keys.has(origin))
      throw new ConfigError(
        `NODE_KEYS: entry ${index + 1} has an origin that is there twice, or is that of no configured node or indexer`,
      );
    keys.set(origin, { header, value: header === "authorization" ? `Bearer ${value}` : value });
  }
  return keys;
}

/** As a bearer token it travels in a header, so it has no spaces. */
const TOKEN = /^[\x21-\x7e]{24,}$/;
const TOKEN_FORM = "at least 24 printable ASCII characters without spaces";

/** All of them mount the service, none of them the workflows alone. */
export const SERVICE_SECRETS = ["MASTER_KEYS", "KEY_PEPPERS", "ADMIN_TOKEN"] as const;

function serviceSecrets(text: (name: string) => string | undefined): ServiceSecrets | null {
  const names = SERVICE_SECRETS;
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

function flowsSecret(text: string | undefined): Uint8Array | null {
  if (text === undefined) return null;
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text))
    throw new ConfigError("FLOWS_SECRET must be the base64 of 32 bytes. Make one with: openssl rand -base64 32");
  return bytesOfBase64(text);
}

const JWT_VARIABLES = ["JWT_ISSUER", "JWT_AUDIENCE", "JWT_JWKS_URL"] as const;

/** Whoever answers for this name decides who is let in: encrypted, and a public name. A local issuer needs neither. */
const jwksUrlSchema = z.union([
  z.url({ protocol: /^https$/, hostname: z.regexes.domain }),
  z.url({ protocol: /^http$/, hostname: /^(?:localhost|127\.0\.0\.1|\[::1\])$/ }),
]);

function jwtTerms(text: (name: string) => string | undefined): JwtTerms | null {
  const issuer = text("JWT_ISSUER");
  const audience = text("JWT_AUDIENCE");
  const jwksUrl = text("JWT_JWKS_URL");
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return null;
  if (issuer === undefined || audience === undefined || jwksUrl === undefined)
    throw new ConfigError(`${JWT_VARIABLES.join(", ")} belong together: set all of them, or none`);
  if (issuer === CALLER_ISSUER)
    throw new ConfigError(
      `JWT_ISSUER must not be ${CALLER_ISSUER}: its users would have the wallets of your back end's`,
    );
  if (!jwksUrlSchema.safeParse(jwksUrl).success)
    throw new ConfigError(
      "JWT_JWKS_URL must be an https URL with a host name, as the issuer's discovery document has it, or http on localhost",
    );
  return { issuer, audience, jwksUrl };
}

const MAX_ORIGINS = 20;

function isOrigin(text: string): boolean {
  return urlSchema.safeParse(text).success && new URL(text).origin === text;
}

/** Browsers send what a page's origin is, to the letter: what is no host name matches none. */
const NO_HOST = /[^a-z0-9.:/[\]-]/;

function flowsOrigins(text: string | undefined): readonly string[] {
  const origins = (text ?? "").split(/\s+/).filter((origin) => origin !== "");
  if (origins.length > MAX_ORIGINS || !origins.every(isOrigin))
    throw new ConfigError(
      `FLOWS_ORIGINS must be at most ${MAX_ORIGINS} origins like https://app.example.com, without a path, separated by spaces`,
    );
  const impossible = origins.find((origin) => NO_HOST.test(origin));
  if (impossible !== undefined)
    throw new ConfigError(
      `FLOWS_ORIGINS: ${impossible} would match no page: origins have no wildcards, so name each of them`,
    );
  return origins;
}

/** Mean nothing where the workflows are not mounted. FLOWS_SECRET may be there before they are. */
const OF_THE_WORKFLOWS = ["FLOWS_BASE_URL", "FLOWS_ORIGINS", "WEBHOOK_SECRETS"] as const;

function flowsConfig(text: (name: string) => string | undefined, withService: boolean): FlowsConfig | null {
  const callerSecret = text("FLOWS_CALLER_SECRET") ?? null;
  const jwt = jwtTerms(text);
  const accessKeys = {
    sui: text("FLOWS_SUI_KEY") ?? null,
    aptos: text("FLOWS_APTOS_KEY") ?? null,
  };
  const baseUrl = text("FLOWS_BASE_URL") ?? null;
  const hasKey = accessKeys.sui !== null || accessKeys.aptos !== null;
  const hasCaller = callerSecret !== null || jwt !== null;
  const origins = flowsOrigins(text("FLOWS_ORIGINS"));
  const secret = flowsSecret(text("FLOWS_SECRET"));
  const needs = `the workflows need FLOWS_CALLER_SECRET or ${JWT_VARIABLES.join(", ")}, together with FLOWS_SUI_KEY, FLOWS_APTOS_KEY, or both`;
  if (!hasCaller && !hasKey) {
    const unheeded = OF_THE_WORKFLOWS.find((name) => text(name) !== undefined);
    if (unheeded !== undefined) throw new ConfigError(`${unheeded} is set, and ${needs}`);
    return null;
  }
  if (!hasCaller || !hasKey) throw new ConfigError(needs);
  if (callerSecret !== null && !TOKEN.test(callerSecret))
    throw new ConfigError(`FLOWS_CALLER_SECRET must have ${TOKEN_FORM}`);
  if (origins.length > 0 && jwt === null)
    throw new ConfigError(`FLOWS_ORIGINS needs ${JWT_VARIABLES.join(", ")}: pages call with their users' tokens`);
  if (baseUrl !== null && !urlSchema.safeParse(baseUrl).success)
    throw new ConfigError("FLOWS_BASE_URL must be the http(s) URL of the service");
  if (baseUrl === null && !withService)
    throw new ConfigError(
      "FLOWS_BASE_URL missing: without the service's secrets the workflows need the URL of a service",
    );
  const webhooks = webhookSecrets(text("WEBHOOK_SECRETS"));
  return {
    callerSecret,
    jwt,
    origins,
    accessKeys,
    secret,
    baseUrl: baseUrl?.replace(/\/+$/, "") ?? null,
    webhookSecrets: webhooks,
  };
}

const MAX_WEBHOOK_SECRETS = 40;

function webhookSecrets(text: string | undefined): ReadonlyMap<string, readonly Uint8Array[]> {
  const byName = new Map<string, readonly Uint8Array[]>();
  const entries = text?.split(/\s+/) ?? [];
  for (const entry of entries) {
    const [, name, secret = ""] = /^([a-z0-9-]{1,64})=(whsec_\S+)$/.exec(entry) ?? [];
    const bytes = parseSecret(secret);
    if (name === undefined || bytes === null || entries.length > MAX_WEBHOOK_SECRETS)
      throw new ConfigError(
        `WEBHOOK_SECRETS must be at most ${MAX_WEBHOOK_SECRETS} entries like users=whsec_<base64 of 24 to 64 bytes>, separated by spaces`,
      );
    byName.set(name, [...(byName.get(name) ?? []), bytes]);
  }
  return byName;
}

const DEVELOPMENT_NETWORKS = ["SUI_LOCALNET", "APTOS_LOCALNET"] as const;

/**
 * The example lets everybody in under every name, so it is never on by an oversight: only with access keys of
 * development chains, where nothing is worth anything, and only where its own issuer is the one whose tokens are taken,
 * which no app with users of its own can say.
 */
function exampleConfig(text: (name: string) => string | undefined, flows: FlowsConfig | null): ExampleConfig | null {
  const example = text("EXAMPLE") ?? "off";
  if (example === "off") return null;
  if (example !== "on") throw new ConfigError("EXAMPLE must be on or off");
  const accessKeys = Object.values(flows?.accessKeys ?? {}).filter((key) => key !== null);
  if (!accessKeys.every((key) => networkOfKey(key, DEVELOPMENT_NETWORKS) !== null))
    throw new ConfigError(
      `EXAMPLE lets everybody in, so it is on only where FLOWS_SUI_KEY and FLOWS_APTOS_KEY are access keys for ${DEVELOPMENT_NETWORKS.join(" and ")}: remove it`,
    );
  const { issuer, audience, jwksUrl } = EXAMPLE_ISSUER;
  const { jwt = null, secret = null } = flows ?? {};
  const isOwnIssuer = jwt?.issuer === issuer && jwt.audience === audience && jwt.jwksUrl === jwksUrl;
  if (!isOwnIssuer || secret === null)
    throw new ConfigError(
      `EXAMPLE needs FLOWS_SECRET, and its own issuer in the place of the app's: JWT_ISSUER=${issuer} JWT_AUDIENCE=${audience} JWT_JWKS_URL=${jwksUrl}`,
    );
  return { secret };
}

const MAX_WITHDRAW_ADDRESSES = 100;

/** Sui and Aptos addresses are both 32 bytes; the short form means the same. */
function withdrawAddresses(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  const addresses = text.split(/\s+/);
  if (addresses.length > MAX_WITHDRAW_ADDRESSES || !addresses.every((address) => /^0x[0-9a-fA-F]{1,64}$/.test(address)))
    throw new ConfigError(
      `WITHDRAW_ADDRESSES must be at most ${MAX_WITHDRAW_ADDRESSES} addresses like 0x…, separated by spaces`,
    );
  return addresses.map((address) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`);
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
      "nothing is configured: set MASTER_KEYS, KEY_PEPPERS and ADMIN_TOKEN for the service, or FLOWS_CALLER_SECRET and FLOWS_SUI_KEY or FLOWS_APTOS_KEY for the workflows",
    );
  const example = exampleConfig(text, flows);
  const offset = text("CLOCK_OFFSET_MS");
  if (offset !== undefined && text("STAGE") !== "test")
    throw new ConfigError("CLOCK_OFFSET_MS is accepted only with STAGE=test: remove it");
  const clockOffsetMs = Number(offset ?? "0");
  if (!Number.isSafeInteger(clockOffsetMs)) throw new ConfigError("CLOCK_OFFSET_MS must be a whole number");
  const nodes = Object.fromEntries(
    networks.map((network) => [network, nodeList(`${network}_NODES`, text(`${network}_NODES`))]),
  ) as Record<Network, readonly string[]>;
  const indexers = Object.fromEntries(
    aptosNetworks.map((network) => [network, nodeList(`${network}_INDEXERS`, text(`${network}_INDEXERS`))]),
  ) as Record<AptosNetwork, readonly string[]>;
  const sessionStore = text("SESSION_STORE") ?? null;
  if (sessionStore !== null && sessionStore !== "kv" && sessionStore !== "object")
    throw new ConfigError("SESSION_STORE must be kv or object; unset, KV is used where it is bound");
  if (sessionStore === "kv" && env.KV === undefined)
    throw new ConfigError("SESSION_STORE is kv, and no KV namespace is bound as KV: bind one, or set it to object");
  return {
    region,
    service,
    flows,
    example,
    nodes,
    indexers,
    nodeKeys: nodeKeys(text("NODE_KEYS"), [...Object.values(nodes), ...Object.values(indexers)].flat()),
    sessionStore,
    withdrawAddresses: withdrawAddresses(text("WITHDRAW_ADDRESSES")),
    clockOffsetMs,
  };
}
