import { EXAMPLE_ISSUER } from "../access/example-issuer.ts";
import { networkOfKey } from "../access/key-format.ts";
import { type AptosNetwork, aptosNetworks, type Network, networks } from "../networks.ts";
import { type LogLevel, logLevels } from "../observe/log.ts";
import { ConfigError } from "./error.ts";
import type { NodeKeys } from "./node-keys.ts";
import { nodeKeys, nodeList } from "./nodes.ts";
import { type ServiceSecrets, serviceSecrets } from "./secrets.ts";
import { type FlowsConfig, flowsConfig } from "./workflows.ts";

/** Settings of the example page, whose users sign in with only a name. */
export interface ExampleConfig {
  /** FLOWS_SECRET, 32 bytes. */
  readonly secret: Uint8Array;
}

/** The parsed variables and secrets of a deployment. */
export interface Config {
  readonly region: string;
  /** Null if this deployment runs only the workflows. */
  readonly service: ServiceSecrets | null;
  /** Null if the workflows are not configured. */
  readonly flows: FlowsConfig | null;
  /** Null if the example page is off. */
  readonly example: ExampleConfig | null;
  readonly nodes: Readonly<Record<Network, readonly string[]>>;
  readonly indexers: Readonly<Record<AptosNetwork, readonly string[]>>;
  /** Nodes that have what others have pruned. No other host gets a read that a node sends on. */
  readonly archives: Readonly<Record<AptosNetwork, readonly string[]>>;
  /** Keys for providers of nodes and indexers that require one. */
  readonly nodeKeys: NodeKeys;
  /** The store of the service's halves of session tokens. Null for KV if it is bound, otherwise objects. */
  readonly sessionStore: "kv" | "object" | null;
  /** Funds pay out only to these addresses. Null if to any. */
  readonly withdrawAddresses: readonly string[] | null;
  /** The level of the least grave log lines that are written. */
  readonly logLevel: LogLevel;
  /** Zero except in tests. Moves the service's clock. */
  readonly clockOffsetMs: number;
}

const DEVELOPMENT_NETWORKS = ["SUI_LOCALNET", "APTOS_LOCALNET"] as const;

/**
 * Returns the settings of the example page, which admits everybody under every name. It must never be on by mistake.
 * So it requires access keys of development chains, whose coins have no value. It also requires its own issuer as the
 * accepted one, which excludes every app with users of its own.
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
      `EXAMPLE=on needs FLOWS_SECRET and these values: JWT_ISSUER=${issuer} JWT_AUDIENCE=${audience} JWT_JWKS_URL=${jwksUrl}`,
    );
  return { secret };
}

const MAX_WITHDRAW_ADDRESSES = 100;

/** Reads addresses. Sui and Aptos addresses are both 32 bytes. The short form means the same. */
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
  const aptosLists = (suffix: "INDEXERS" | "ARCHIVES") =>
    Object.fromEntries(
      aptosNetworks.map((network) => [network, nodeList(`${network}_${suffix}`, text(`${network}_${suffix}`))]),
    ) as Record<AptosNetwork, readonly string[]>;
  const [indexers, archives] = [aptosLists("INDEXERS"), aptosLists("ARCHIVES")];
  const sessionStore = text("SESSION_STORE") ?? null;
  if (sessionStore !== null && sessionStore !== "kv" && sessionStore !== "object")
    throw new ConfigError("SESSION_STORE must be kv or object; unset, KV is used where it is bound");
  if (sessionStore === "kv" && env.KV === undefined)
    throw new ConfigError("SESSION_STORE is kv, and no KV namespace is bound as KV: bind one, or set it to object");
  const logLevel = logLevels.find((level) => level === (text("LOG_LEVEL") ?? "info"));
  if (logLevel === undefined) throw new ConfigError(`LOG_LEVEL must be one of ${logLevels.join(", ")}`);
  return {
    region,
    service,
    flows,
    example,
    nodes,
    indexers,
    archives,
    nodeKeys: nodeKeys(
      text("NODE_KEYS"),
      [nodes, indexers, archives].flatMap((lists) => Object.values(lists).flat()),
    ),
    sessionStore,
    withdrawAddresses: withdrawAddresses(text("WITHDRAW_ADDRESSES")),
    logLevel,
    clockOffsetMs,
  };
}
