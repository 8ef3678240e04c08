import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  convertV4MiniflareOptions,
  fetch,
  Log,
  LogLevel,
  Miniflare,
  type Request as OutboundRequest,
  type Response as OutboundResponse,
} from "miniflare";
import type { Bundle } from "./build.ts";
import { examplePageFor } from "./example-page.ts";
import { freePort, LOOPBACK } from "./ports.ts";

/** Variables and secrets by name. */
export type Variables = Readonly<Record<string, string>>;

/** The bundle, the state and the variables of a service. */
export interface ServiceOptions {
  readonly service: Bundle;
  /** 0 or absent for a free one. */
  readonly servicePort?: number;
  /** Directory of objects and KV. If absent, a temporary directory is used and removed at the end. */
  readonly stateDirectory?: string;
  /** Secrets and variables, which override those of wrangler.toml. */
  readonly serviceVars: Variables;
  /** Public names of a test's servers, resolved by the runtime's outbound service. */
  readonly publicNames?: PublicNames;
  /** Receives one line of the Workers' output. */
  readonly onLog?: (line: string) => void;
}

/** Addresses by name: `login.example.com` → `http://127.0.0.1:1234`. */
export type PublicNames = Readonly<Record<string, string>>;

/** The options of a service beside a development chain. */
export interface PlatformOptions extends ServiceOptions {
  readonly chain: Bundle;
  /** 0 or absent for a free one. */
  readonly chainPort?: number;
  readonly chainVars?: Variables;
}

/** The changes that a restart brings. */
export interface Restart {
  /** Moves the clocks, the service's and the chain's, to real time plus this. */
  readonly clockOffsetMs?: number;
  /** Added to the service's variables. */
  readonly serviceVars?: Variables;
}

/** The service in an embedded Miniflare. */
export interface ServicePlatform {
  readonly serviceUrl: string;
  restart(change: Restart): Promise<void>;
  /** Runs the service's cron handler as the platform would at this expression. */
  scheduled(cron: string): Promise<void>;
  stop(): Promise<void>;
}

/** Miniflare runs cron handlers at this path, on another port than the service's. */
const SCHEDULED_PATH = "/cdn-cgi/local/scheduled";

/** The service and the development chain in one embedded Miniflare, each on its own port. */
export interface Platform extends ServicePlatform {
  readonly chainUrl: string;
}

/** Returns the variables with the addresses of the development chain. */
export function localNodes(chainUrl: string): Variables {
  return {
    SUI_LOCALNET_NODES: `${chainUrl}/sui`,
    APTOS_LOCALNET_NODES: `${chainUrl}/aptos/v1`,
    APTOS_LOCALNET_INDEXERS: `${chainUrl}/aptos/graphql`,
  };
}

/** Starts the service and the development chain. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const port = options.chainPort || (await freePort());
  const chainUrl = `http://${LOOPBACK}:${port}`;
  const serviceVars = { ...localNodes(chainUrl), ...options.serviceVars };
  const chain = { bundle: options.chain, vars: options.chainVars ?? {}, port };
  return { ...(await startWorkers({ ...options, serviceVars }, [chain])), chainUrl };
}

/** Starts the service alone, with the nodes of wrangler.toml. */
export function startService(options: ServiceOptions): Promise<ServicePlatform> {
  return startWorkers(options, []);
}

interface OtherWorker {
  readonly bundle: Bundle;
  readonly vars: Variables;
  readonly port: number;
}

async function startWorkers(options: ServiceOptions, others: readonly OtherWorker[]): Promise<ServicePlatform> {
  const servicePort = options.servicePort || (await freePort());
  // A restart listens there again. Miniflare would choose a port that an outgoing connection may take in between.
  const entryPort = await freePort();
  const temporary = options.stateDirectory === undefined;
  const stateDirectory = options.stateDirectory ?? (await mkdtemp(join(tmpdir(), "gasworks-")));
  let { serviceVars } = options;
  let clock: Variables = {};

  const miniflareOptions = async () => {
    const examplePage = await examplePageFor(serviceVars);
    return convertV4MiniflareOptions({
      host: LOOPBACK,
      port: entryPort,
      cf: false,
      logRequests: false,
      unsafeTriggerHandlers: true,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ level, message }) => options.onLog?.(level === "log" ? message : `${level}: ${message}`),
      resourcePersistencePath: stateDirectory,
      workers: [
        {
          ...miniflareWorker(options.service, { ...serviceVars, ...clock }, examplePage),
          ...onPort(servicePort),
          ...(options.publicNames && { outboundService: leadingTo(options.publicNames) }),
        },
        ...others.map(({ bundle, vars, port }) => ({
          ...miniflareWorker(bundle, { ...vars, ...clock }),
          ...onPort(port),
        })),
      ],
    });
  };

  const miniflare = new Miniflare(await miniflareOptions());
  await miniflare.ready;

  return {
    serviceUrl: `http://${LOOPBACK}:${servicePort}`,
    async restart({ clockOffsetMs, serviceVars: added }) {
      if (clockOffsetMs !== undefined) clock = { STAGE: "test", CLOCK_OFFSET_MS: String(clockOffsetMs) };
      serviceVars = { ...serviceVars, ...added };
      await miniflare.setOptions(await miniflareOptions());
    },
    async scheduled(cron) {
      // `getWorker` does not fit. Its calls block this thread, and a runtime whose log this thread does not read
      // blocks too.
      const url = `http://${LOOPBACK}${SCHEDULED_PATH}?cron=${encodeURIComponent(cron)}`;
      const outcome = await (await miniflare.dispatchFetch(url)).text();
      if (outcome !== "ok") throw new Error(`the cron ${cron} ended with ${outcome}`);
    },
    async stop() {
      await miniflare.dispose();
      if (temporary) await rm(stateDirectory, { recursive: true, force: true });
    },
  };
}

/** Returns the service's outbound fetch. A test's own server answers for these names. All other requests go out. */
function leadingTo(names: PublicNames) {
  return (request: OutboundRequest): Promise<OutboundResponse> => {
    const { host, pathname, search } = new URL(request.url);
    const local = names[host];
    return local === undefined ? fetch(request) : fetch(`${local}${pathname}${search}`, request);
  };
}

function onPort(port: number) {
  return { unsafeDirectSockets: [{ host: LOOPBACK, port }] };
}

/**
 * Returns a bundle as Miniflare runs it, with the same objects and namespaces as deployed. `vars` override
 * wrangler.toml.
 *
 * @param examplePage is the directory of the example's page, or null if the example is off.
 */
export function miniflareWorker(bundle: Bundle, vars: Variables = {}, examplePage: string | null = null) {
  return {
    name: bundle.worker,
    modules: true as const,
    scriptPath: bundle.scriptPath,
    compatibilityDate: bundle.compatibilityDate,
    compatibilityFlags: [...bundle.compatibilityFlags],
    bindings: { ...bundle.vars, ...vars },
    // Webhooks reach no private address, for any resolution of a name.
    serviceBindings: {
      WEBHOOK_NETWORK: { network: { allow: ["public"], tlsOptions: { trustBrowserCas: true } } },
      ...(examplePage !== null && { EXAMPLE_PAGE: { disk: { path: examplePage, writable: false } } }),
    },
    kvNamespaces: Object.fromEntries(bundle.kvBindings.map((binding) => [binding, `${bundle.worker}-${binding}`])),
    durableObjects: Object.fromEntries(
      bundle.durableObjects.map(({ binding, className }) => [binding, { className, useSQLite: true }]),
    ),
  };
}
