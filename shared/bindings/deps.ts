import type { AptosNode } from "../chain/aptos/node.ts";
import { createAptosNode } from "../chain/aptos/rest/node.ts";
import type { AptosNodeOptions } from "../chain/aptos/rest/request.ts";
import { EndpointMemory } from "../chain/endpoint-memory.ts";
import type { KnownChain } from "../chain/sui/chain-guard.ts";
import { FunctionSignatures } from "../chain/sui/function-signatures.ts";
import { createSuiNode } from "../chain/sui/grpc/node.ts";
import type { SuiNode } from "../chain/sui/node.ts";
import { type Config, parseConfig } from "../config/config.ts";
import { ConfigError } from "../config/error.ts";
import { withNodeKeys } from "../config/node-keys.ts";
import type { ServiceSecrets } from "../config/secrets.ts";
import { masterKeysOfConfig } from "../crypto/configured-master-keys.ts";
import type { MasterKeys } from "../crypto/master-keys.ts";
import type { AptosNetwork, Network, SuiNetwork } from "../networks.ts";
import { createLog } from "../observe/log.ts";
import { countedFetch } from "../observe/upstream-calls.ts";
import { createSecretDeriver, DERIVATION_LIMITS, type SecretDeriver } from "../wallet/derivation.ts";
import { KnownDerivations } from "../wallet/known-derivations.ts";
import { createThrottle } from "../wallet/throttle.ts";
import type { Clock, Fetch, Log } from "./ports.ts";

/** Every dependency that is not a pure function of its arguments. */
export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: Fetch;
  /** Calls nodes and indexers, with this deployment's key if their provider requires one. */
  readonly nodeFetch: Fetch;
  /** Calls webhooks, through the network bound for them, if there is one. */
  readonly webhookFetch: Fetch;
  /** The master keys. Null if this deployment runs only the workflows. All objects of an isolate share them. */
  readonly masterKeys: MasterKeys | null;
  randomBytes(length: number): Uint8Array;
  /** @param known facts about its chain that the caller has already. */
  suiNode(network: SuiNetwork, known?: () => KnownChain | null): SuiNode;
  /** Reads the function signatures that Sui wallets' transactions are shown with. */
  readonly functionSignatures: FunctionSignatures;
  /** @param accepts returns true if an endpoint's answer is of the expected chain. */
  aptosNode(network: AptosNetwork, accepts?: AptosNodeOptions["accepts"]): AptosNode;
  /** Terms of derivation that this Worker has read. */
  readonly derivations: KnownDerivations;
  /** Derives secrets. All derivations of one Worker take turns. It is called at the edge, never in an object. */
  readonly deriveSecret: SecretDeriver;
}

/** Returns true for a service binding. */
function isFetcher(bound: unknown): bound is { readonly fetch: Fetch } {
  return typeof bound === "object" && bound !== null && "fetch" in bound;
}

/** Configurations by their environment, which never changes. All objects of an isolate share one. */
const configs = new WeakMap<object, Config>();

function configOf(env: object): Config {
  const known = configs.get(env);
  if (known !== undefined) return known;
  const config = parseConfig({ ...env });
  configs.set(env, config);
  return config;
}

/** Master keys by their configuration, so that an isolate unwraps each version once. */
const masterKeysByConfig = new WeakMap<Config, MasterKeys>();

function masterKeysOf(config: Config, ports: Parameters<typeof masterKeysOfConfig>[1]): MasterKeys | null {
  if (config.service === null) return null;
  const masterKeys = masterKeysByConfig.get(config) ?? masterKeysOfConfig(config.service.masterKeys, ports);
  masterKeysByConfig.set(config, masterKeys);
  return masterKeys;
}

/**
 * Creates the dependencies of the Worker, or of one object in its constructor.
 *
 * @throws ConfigError when a variable or secret is missing or malformed.
 */
export function createDeps(env: object): Deps {
  const config = configOf(env);
  const clock: Clock = {
    nowMs: () => Date.now() + config.clockOffsetMs,
    alarmAtMs: (atMs) => atMs - config.clockOffsetMs,
  };
  const log = createLog(config.logLevel, clock.nowMs, (line) => console.log(line));
  const outboundFetch: Fetch = (input, init) => fetch(input, init);
  const nodeFetch = countedFetch(withNodeKeys(outboundFetch, config.nodeKeys));
  const memories = new Map<Network, EndpointMemory>();
  const memoryOf = (network: Network): EndpointMemory => {
    const memory = memories.get(network) ?? new EndpointMemory(clock);
    memories.set(network, memory);
    return memory;
  };
  const webhookNetwork = "WEBHOOK_NETWORK" in env ? env.WEBHOOK_NETWORK : undefined;
  return {
    config,
    clock,
    log,
    fetch: outboundFetch,
    nodeFetch,
    webhookFetch: isFetcher(webhookNetwork) ? (input, init) => webhookNetwork.fetch(input, init) : outboundFetch,
    masterKeys: masterKeysOf(config, { fetch: outboundFetch, nowMs: clock.nowMs, log }),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    suiNode: (network, known) =>
      createSuiNode({
        network,
        urls: config.nodes[network],
        fetch: nodeFetch,
        clock,
        log,
        memory: memoryOf(network),
        ...(known && { known }),
      }),
    functionSignatures: new FunctionSignatures({
      urls: (network) => config.nodes[network],
      fetch: nodeFetch,
      clock,
    }),
    aptosNode: (network, accepts) =>
      createAptosNode({
        network,
        urls: config.nodes[network],
        fetch: nodeFetch,
        memory: memoryOf(network),
        ...(accepts && { accepts }),
      }),
    derivations: new KnownDerivations(),
    deriveSecret: createSecretDeriver(createThrottle(DERIVATION_LIMITS, clock.nowMs)),
  };
}

const NO_SERVICE = "MASTER_KEYS, KEY_PEPPERS and ADMIN_TOKEN are not set: set them for the service";

/** Returns the service's own secrets. Objects exist only if the service is mounted. */
export function serviceSecrets(deps: Deps): ServiceSecrets {
  if (deps.config.service === null) throw new ConfigError(NO_SERVICE);
  return deps.config.service;
}

/** Returns the service's master keys. @throws ConfigError as `serviceSecrets`. */
export function serviceMasterKeys({ masterKeys }: Pick<Deps, "masterKeys">): MasterKeys {
  if (masterKeys === null) throw new ConfigError(NO_SERVICE);
  return masterKeys;
}
