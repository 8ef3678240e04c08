import { spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, mkdir, mkdtemp, open, readdir, readlink, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod";
import type { Bundle } from "./build.ts";
import { examplePageFor } from "./example-page.ts";
import { tailOf } from "./log-tail.ts";
import type { Variables } from "./platform.ts";
import { freePort, LOOPBACK } from "./ports.ts";

// The package has no types. `bin` names a shim on some platforms, and a SIGKILL would not reach the runtime.
const { default: workerdPath } = z.object({ default: z.string() }).parse(createRequire(import.meta.url)("workerd"));

const ORPHAN_POLL_MS = 20;

/** The bundle, the state and the variables of a `workerd` process. */
export interface WorkerdOptions {
  readonly bundle: Bundle;
  /** Holds the objects' SQLite files. Each directory has only one process. */
  readonly stateDirectory: string;
  /** Default: `workerd.log` in the state directory. There is no log if it cannot be written. */
  readonly logPath?: string;
  readonly vars: Variables;
  /** 0 or absent for a free one, which a restart keeps. */
  readonly port?: number;
  /** Receives all webhooks, for any host, as a test's receiver. If absent, they go to the public network only. */
  readonly webhookReceiver?: string;
  /** Settings of the JavaScript engine, which only measurements change. */
  readonly v8Flags?: readonly string[];
}

/** One self-hosted Worker: the bundle on plain `workerd`, without Node, KV or anything else in between. */
export interface WorkerdProcess {
  readonly url: string;
  pid(): number;
  /** Time from the start of the process until it listens. */
  readonly startUpMs: number;
  /** Sends SIGKILL. No handler runs and nothing is flushed. Returns when the process is gone. */
  kill(): Promise<void>;
  /** Sends SIGTERM. The process takes no more requests, and ends with the last one in progress. */
  end(): void;
  /** Resolves with the end of the process: a code, or the name of a signal. */
  untilGone(): Promise<string>;
  /** Restarts on the same port and state, with other variables if some are given. */
  restart(vars?: Variables): Promise<void>;
}

/** Starts a self-hosted Worker. */
export async function startWorkerd(options: WorkerdOptions): Promise<WorkerdProcess> {
  await mkdir(join(options.stateDirectory, "objects"), { recursive: true });
  let vars = options.vars;
  // The system would choose a port that an outgoing connection may take during a restart.
  const port = options.port || (await freePort());
  let running = await launch(options, vars, port);
  const { startUpMs } = running;
  return {
    url: `http://${LOOPBACK}:${port}`,
    startUpMs,
    pid: () => running.pid,
    kill: () => running.kill(),
    end: () => running.end(),
    untilGone: () => running.untilGone(),
    async restart(changed = {}) {
      await running.kill();
      vars = { ...vars, ...changed };
      running = await launch(options, vars, port);
    },
  };
}

const listenEventSchema = z.object({ event: z.literal("listen"), socket: z.literal("http"), port: z.int() });

/** Opens the log. Null if the disk is full or read-only, because the service must run without a log. */
function openLog(path: string): Promise<FileHandle | null> {
  return open(path, "a", 0o600).catch(() => null);
}

/**
 * Ends a runtime that a killed launcher has left on this directory. Two runtimes would have inconsistent states, and
 * reserve one coin twice. Only Linux shows the directory of a process.
 */
async function endOrphans(stateDirectory: string): Promise<void> {
  const directory = await realpath(stateDirectory);
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^[1-9][0-9]*$/.test(name)).map(Number);
  for (const pid of pids)
    if (await isRuntimeIn(pid, directory)) {
      process.kill(pid, "SIGKILL");
      while (await isRuntimeIn(pid, directory)) await new Promise((resolve) => setTimeout(resolve, ORPHAN_POLL_MS));
    }
}

async function isRuntimeIn(pid: number, directory: string): Promise<boolean> {
  const [cwd, executable] = await Promise.all(
    ["cwd", "exe"].map((link) => readlink(`/proc/${pid}/${link}`).catch(() => "")),
  );
  return cwd === directory && executable !== undefined && /\/workerd( \(deleted\))?$/.test(executable);
}

async function launch(options: WorkerdOptions, vars: Variables, port: number) {
  const {
    bundle,
    stateDirectory,
    webhookReceiver,
    v8Flags = [],
    logPath = join(stateDirectory, "workerd.log"),
  } = options;
  const bindings = { ...bundle.vars, ...vars };
  await endOrphans(stateDirectory);
  // The file is not on the disk of the state, which may be full. It is read once.
  const configDirectory = await mkdtemp(join(tmpdir(), "gasworks-config-"));
  const configPath = join(configDirectory, "config.capnp");
  const config = {
    bundle,
    directory: configDirectory,
    variables: Object.keys(bindings),
    port,
    webhookReceiver,
    v8Flags,
    examplePage: await examplePageFor(bindings),
  };
  await writeFile(configPath, workerdConfig(config));
  const log = await openLog(logPath);
  const output = log?.fd ?? "ignore";
  const startedAt = performance.now();
  const child = spawn(workerdPath, ["serve", "--control-fd=3", configPath], {
    cwd: stateDirectory,
    env: bindings,
    stdio: ["ignore", output, output, "pipe"],
  });
  const gone = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await gone;
    process.off("exit", killNow);
  };
  const killNow = () => void child.kill("SIGKILL");
  process.on("exit", killNow);

  const events = child.stdio[3];
  if (events === null || events === undefined || !("read" in events)) throw new Error("workerd has no control channel");
  const listening = (async () => {
    for await (const line of createInterface({ input: events })) {
      const event = listenEventSchema.safeParse(JSON.parse(line));
      if (event.success) return event.data.port;
    }
    throw new Error(`workerd did not start:\n${await tailOf(logPath).catch(() => "there is no log")}`);
  })();
  const listeningPort = await listening.finally(async () => {
    await log?.close();
    await rm(configDirectory, { recursive: true, force: true });
  });
  if (child.pid === undefined) throw new Error("workerd has no process id");
  const untilGone = async () => {
    const [code, signal] = await gone;
    return typeof signal === "string" ? signal : `exit code ${code}`;
  };
  const end = () => void child.kill("SIGTERM");
  return { pid: child.pid, port: listeningPort, startUpMs: performance.now() - startedAt, kill, end, untilGone };
}

interface WorkerdConfig {
  readonly bundle: Bundle;
  /** The directory of the configuration. Its paths are relative to it. */
  readonly directory: string;
  readonly variables: readonly string[];
  readonly port: number;
  readonly webhookReceiver: string | undefined;
  readonly v8Flags: readonly string[];
  /** The directory of the example's page. Null if the example is off. */
  readonly examplePage: string | null;
}

/**
 * Returns the configuration of a self-hosted Worker (workerd's `workerd.capnp`). Values stay in the environment, so no
 * secret is in the file. `uniqueKey` names an object class on disk permanently and must never change. Webhooks have
 * their own network without private addresses, for any resolution of a name. Nodes may be anywhere.
 */
function workerdConfig(config: WorkerdConfig): string {
  const { bundle, directory, variables, port, webhookReceiver, v8Flags, examplePage } = config;
  const webhooks =
    webhookReceiver === undefined
      ? `network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))`
      : `external = (address = ${text(webhookReceiver)}, http = ())`;
  const pages = examplePage === null ? [] : [`(name = "example-page", disk = (path = ${text(examplePage)}))`];
  const bindings = [
    ...variables.map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`),
    ...bundle.durableObjects.map(
      ({ binding, className }) => `(name = ${text(binding)}, durableObjectNamespace = ${text(className)})`,
    ),
    `(name = "WEBHOOK_NETWORK", service = "webhooks")`,
    ...(examplePage === null ? [] : [`(name = "EXAMPLE_PAGE", service = "example-page")`]),
  ];
  const classes = bundle.durableObjects.map(
    ({ className }) =>
      `(className = ${text(className)}, uniqueKey = ${text(`${bundle.worker}-${className}`)}, enableSql = true)`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = [${v8Flags.map(text).join(", ")}],
  services = [
    (name = "main", worker = .main),
    (name = "objects", disk = (path = "objects", writable = true)),
    (name = "network", network = (allow = ["public", "private", "local"], tlsOptions = (trustBrowserCas = true))),
    (name = "webhooks", ${webhooks}),
    ${pages.join(",\n    ")}
  ],
  sockets = [(name = "http", address = ${text(`${LOOPBACK}:${port}`)}, http = (), service = "main")],
);

const main :Workerd.Worker = (
  modules = [(name = "index.js", esModule = embed ${text(relative(directory, bundle.scriptPath))})],
  compatibilityDate = ${text(bundle.compatibilityDate)},
  compatibilityFlags = [${bundle.compatibilityFlags.map(text).join(", ")}],
  globalOutbound = "network",
  bindings = [
    ${bindings.join(",\n    ")},
  ],
  durableObjectNamespaces = [
    ${classes.join(",\n    ")},
  ],
  durableObjectStorage = (localDisk = "objects"),
);
`;
}

/** Writes a Cap'n Proto string literal. JSON has the same escapes for every text that occurs here. */
function text(value: string): string {
  return JSON.stringify(value);
}
