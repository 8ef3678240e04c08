import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type Bundle, build, DEVELOPMENT_CHAIN, root, SERVICE } from "../../shared/cli/build.ts";
import { localNodes, startPlatform } from "../../shared/cli/platform.ts";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { randomSecrets } from "../../shared/cli/secrets.ts";
import { type Command, commandSchema, type Done, type Harness } from "../harness/service-control.ts";
import { LogSearch } from "../leaks/log-search.ts";
import { memoryFolder } from "./memory-folder.ts";
import { RequestLines } from "./request-lines.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where a worker reaches its own service: `<this>/<pool id>`. */
    servicesUrl: string;
  }
}

interface Bundles {
  readonly service: Bundle;
  readonly chain: Bundle;
}

const NOTHING_FOUND = { leaks: [] };

/** A service with its chain, and what only this process can do with them. */
interface RunningService {
  readonly harness: Harness;
  readonly clockOffsetMs: () => number;
  obey(command: Command): Promise<Omit<Done, "clockOffsetMs">>;
  /** @returns those in the last lines of the log. */
  stop(): Promise<readonly string[]>;
}

/**
 * Serves each worker a service and a chain of its own. Test files run in the workers. What only this process can do
 * (restart with another clock, fire a cron) is reached through a small control server. A service starts at its worker's
 * first request, so a run of one file starts one.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [service, chain] = await Promise.all([build(SERVICE), build(DEVELOPMENT_CHAIN)]);
  const running = new Map<string, Promise<RunningService>>();
  const serviceOf = (path: string) => {
    const known = running.get(path);
    if (known !== undefined) return known;
    const started = startRunning({ service, chain }, `e2e${path.replace("/", "-")}.log`);
    running.set(path, started);
    // The next file of the worker tries again.
    started.catch(() => running.delete(path));
    return started;
  };

  async function answer(request: IncomingMessage): Promise<unknown> {
    const one = await serviceOf(request.url ?? "/");
    if (request.method === "GET") return one.harness;
    const done = await one.obey(commandSchema.parse(await readJson(request)));
    return { clockOffsetMs: one.clockOffsetMs(), ...done };
  }

  const control = createServer((request, response) => {
    answer(request).then(
      (value) => response.writeHead(200).end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => control.listen(0, LOOPBACK, resolve));
  const address = control.address();
  if (address === null || typeof address === "string") throw new Error("the control server has no port");
  project.provide("servicesUrl", `http://${LOOPBACK}:${address.port}`);
  return async () => {
    control.closeAllConnections();
    control.close();
    const stopped = await Promise.allSettled([...running.values()].map(async (one) => (await one).stop()));
    const leaks = stopped.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    if (leaks.length === 0) return;
    console.error(`After the last file, a service has logged ${leaks.join(", ")}.`);
    // The runner prints an error of its end, and would exit with 0.
    process.exitCode = 1;
  };
}

/** Starts the bundle that would be deployed, and a chain, on ports of their own with a temporary state directory, in memory if there is room. */
async function startRunning({ service, chain }: Bundles, logName: string): Promise<RunningService> {
  const log = createWriteStream(join(root, "dist", logName));
  const secrets = randomSecrets();
  const search = new LogSearch();
  const requestLines = new RequestLines();
  search.keepVars(secrets);
  const { FLOWS_CALLER_SECRET: callerSecret, ...serviceVars } = secrets;
  const stateDirectory = await mkdtemp(join(memoryFolder() ?? tmpdir(), "gasworks-"));
  const platform = await startPlatform({
    service,
    chain,
    serviceVars,
    stateDirectory,
    onLog: (line) => {
      log.write(`${line}\n`);
      search.add(line);
      requestLines.add(line);
    },
  });
  let clockOffsetMs = 0;
  const initial: Readonly<Record<string, string>> = { ...localNodes(platform.chainUrl), ...serviceVars };
  const changed = new Set<string>();

  async function set(vars: Readonly<Record<string, string>>): Promise<void> {
    search.keepVars(vars);
    await platform.restart({ serviceVars: vars });
    for (const [name, value] of Object.entries(vars)) {
      if (value === (initial[name] ?? "")) changed.delete(name);
      else changed.add(name);
    }
  }

  async function obey(command: Command): Promise<Omit<Done, "clockOffsetMs">> {
    switch (command.do) {
      case "advance":
        clockOffsetMs += command.ms;
        await platform.restart({ clockOffsetMs });
        return NOTHING_FOUND;
      case "scheduled":
        await platform.scheduled(command.cron);
        return NOTHING_FOUND;
      case "set":
        await set(command.serviceVars);
        return NOTHING_FOUND;
      case "reset":
        if (changed.size > 0) await set(Object.fromEntries([...changed].map((name) => [name, initial[name] ?? ""])));
        return NOTHING_FOUND;
      case "search":
        search.keep(command.secrets);
        return { leaks: search.search() };
      case "request-line":
        return { leaks: [], line: await requestLines.of(command.requestId) };
    }
  }

  return {
    harness: {
      serviceUrl: platform.serviceUrl,
      chainUrl: platform.chainUrl,
      adminToken: secrets.ADMIN_TOKEN,
      callerSecret,
      flowsSecret: secrets.FLOWS_SECRET,
      crons: service.crons,
    },
    clockOffsetMs: () => clockOffsetMs,
    obey,
    async stop() {
      await platform.stop();
      await rm(stateDirectory, { recursive: true, force: true });
      log.end();
      return search.search();
    },
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}
