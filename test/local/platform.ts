import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import type { Bundle } from "./build.ts";
import { freePort, LOOPBACK } from "./ports.ts";

export type Variables = Readonly<Record<string, string>>;

export interface PlatformOptions {
  readonly service: Bundle;
  readonly chain: Bundle;
  /** 0 or absent: a free one. */
  readonly servicePort?: number;
  readonly chainPort?: number;
  /** Where objects and KV are kept; absent: a temporary directory, removed at the end. */
  readonly stateDirectory?: string;
  /** Secrets and variables, over those of wrangler.toml. */
  readonly serviceVars: Variables;
  readonly chainVars?: Variables;
  /** One line that the Workers wrote. */
  readonly onLog?: (line: string) => void;
}

export interface Restart {
  /** Moves both clocks, the service's and the chain's, to real time plus this. */
  readonly clockOffsetMs?: number;
  /** Added to the service's variables. */
  readonly serviceVars?: Variables;
}

/** The service and the development chain in one embedded Miniflare, each on its own port. */
export interface Platform {
  readonly serviceUrl: string;
  readonly chainUrl: string;
  restart(change: Restart): Promise<void>;
  /** Runs the service's cron handler as the platform would at this expression. */
  scheduled(cron: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const servicePort = options.servicePort || (await freePort());
  const chainPort = options.chainPort || (await freePort());
  const chainUrl = `http://${LOOPBACK}:${chainPort}`;
  const temporary = options.stateDirectory === undefined;
  const stateDirectory = options.stateDirectory ?? (await mkdtemp(join(tmpdir(), "gasworks-")));
  let serviceVars: Variables = { SUI_LOCALNET_NODES: `${chainUrl}/sui`, ...options.serviceVars };
  let clock: Variables = {};

  const miniflareOptions = () =>
    convertV4MiniflareOptions({
      host: LOOPBACK,
      port: 0,
      cf: false,
      logRequests: false,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ level, message }) => options.onLog?.(level === "log" ? message : `${level}: ${message}`),
      resourcePersistencePath: stateDirectory,
      workers: [
        { ...miniflareWorker(options.service, { ...serviceVars, ...clock }), ...onPort(servicePort) },
        { ...miniflareWorker(options.chain, { ...options.chainVars, ...clock }), ...onPort(chainPort) },
      ],
    });

  const miniflare = new Miniflare(miniflareOptions());
  await miniflare.ready;

  return {
    serviceUrl: `http://${LOOPBACK}:${servicePort}`,
    chainUrl,
    async restart({ clockOffsetMs, serviceVars: added }) {
      if (clockOffsetMs !== undefined) clock = { STAGE: "test", CLOCK_OFFSET_MS: String(clockOffsetMs) };
      serviceVars = { ...serviceVars, ...added };
      await miniflare.setOptions(miniflareOptions());
    },
    async scheduled(cron) {
      const worker = await miniflare.getWorker(options.service.worker);
      const { outcome } = await worker.scheduled({ cron });
      if (outcome !== "ok") throw new Error(`the cron ${cron} ended with ${outcome}`);
    },
    async stop() {
      await miniflare.dispose();
      if (temporary) await rm(stateDirectory, { recursive: true, force: true });
    },
  };
}

function onPort(port: number) {
  return { unsafeDirectSockets: [{ host: LOOPBACK, port }] };
}

/** A bundle as Miniflare runs it: the same objects and namespaces as deployed, the variables of wrangler.toml and these. */
export function miniflareWorker(bundle: Bundle, vars: Variables = {}) {
  return {
    name: bundle.worker,
    modules: true as const,
    scriptPath: bundle.scriptPath,
    compatibilityDate: bundle.compatibilityDate,
    compatibilityFlags: [...bundle.compatibilityFlags],
    bindings: { ...bundle.vars, ...vars },
    kvNamespaces: Object.fromEntries(bundle.kvBindings.map((binding) => [binding, `${bundle.worker}-${binding}`])),
    durableObjects: Object.fromEntries(
      bundle.durableObjects.map(({ binding, className }) => [binding, { className, useSQLite: true }]),
    ),
  };
}
