import { createServer, type Server } from "node:http";
import type { TestProject } from "vitest/node";
import * as z from "zod";
import { build, SERVICE } from "../../shared/cli/build.ts";
import { type AdminAccess, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { rpcCall, rpcResult } from "../../shared/cli/client/rpc.ts";
import { startService } from "../../shared/cli/platform.ts";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { randomSecrets } from "../../shared/cli/secrets.ts";
import { startSelfHosted } from "../harness/self-hosted.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where each runtime's `Silence` is told, as soon as it is over. */
    silences: Readonly<Record<string, string>>;
  }
}

export const TOKEN_MS = 600_000;
const SECRET = "correct horse battery staple";

const answerSchema = z.union([z.object({ result: z.string() }), z.object({ error: z.unknown() })]);
/** What a wallet's signature was answered with, by one token. */
export const silenceSchema = z.object({ at0s: answerSchema, at599s: answerSchema, at600s: answerSchema });
export type Silence = z.infer<typeof silenceSchema>;
/** Each of objects of its own, so that none breaks the others' silence. */
const SILENCES = 3;
const APART_MS = 4_000;

function until(atMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, atMs - Date.now()));
}

async function silence(access: AdminAccess): Promise<Silence & { readonly wasInTime: boolean }> {
  const url = `${access.serviceUrl}/wallet/v1`;
  const project = await createProject(access, "silence");
  const { key } = await createKey(access, project, { name: "app", network: "SUI_TESTNET", rights: ["wallet"] });
  const beforeMs = Date.now();
  const token = await rpcResult(url, key, "svc_key_createSession", [SECRET], z.string());
  const afterMs = Date.now();
  await rpcResult(url, key, "svc_wal_createWallet", ["user-1", token], z.string());
  const sign = async () =>
    answerSchema.parse((await rpcCall(url, key, "svc_wal_signTransaction", ["user-1", token, "AAAA"])).body);
  const at0s = await sign();
  await until(beforeMs + TOKEN_MS - 1_000);
  const at599s = await sign();
  const wasInTime = Date.now() < beforeMs + TOKEN_MS;
  await until(afterMs + TOKEN_MS);
  return { at0s, at599s, at600s: await sign(), wasInTime };
}

/** One whose second of grace this machine has not spent on something else; one that is not as it must be, if there is any. */
async function silenceInTime(access: AdminAccess): Promise<Silence> {
  const startedMs = Date.now();
  const silences = await Promise.all(
    Array.from({ length: SILENCES }, async (_, index) => {
      await until(startedMs + index * APART_MS);
      return silence(access);
    }),
  );
  const inTime = silences.filter(({ wasInTime }) => wasInTime);
  const shown = inTime.find(({ at599s }) => !("result" in at599s)) ?? inTime[0];
  if (shown === undefined) throw new Error("no call was answered within its second");
  return shown;
}

/** Tells each name's value under `/<name>` once there is one. */
async function tell(values: ReadonlyMap<string, Promise<unknown>>): Promise<Server> {
  const server = createServer((request, response) => {
    Promise.resolve(values.get(decodeURIComponent(request.url ?? "").slice(1))).then(
      (value) => response.writeHead(200).end(JSON.stringify(value ?? null)),
      (error: unknown) => response.writeHead(500).end(JSON.stringify(String(error))),
    );
  });
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return server;
}

/**
 * Ten minutes in which nobody calls, on every runtime, in real time: what is proved is what the platforms do meanwhile,
 * for example end an idle object after 10 s. They begin before the first test and pass while the others run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await build(SERVICE);
  const { FLOWS_CALLER_SECRET: _, ...secrets } = randomSecrets();
  const running: { stop(): Promise<void> }[] = [];
  const silences = new Map<string, Promise<Silence>>();
  const begin = (name: string, access: AdminAccess) => {
    const one = silenceInTime(access);
    // Told to whoever asks, which is after the other tests.
    one.catch(() => {});
    silences.set(name, one);
  };
  for (const SESSION_STORE of ["kv", "object"]) {
    const platform = await startService({ service, serviceVars: { ...secrets, SESSION_STORE } });
    running.push(platform);
    begin(`embedded, ${SESSION_STORE}`, { serviceUrl: platform.serviceUrl, adminToken: secrets.ADMIN_TOKEN });
  }
  const selfHosted = await startSelfHosted();
  running.push(selfHosted);
  begin("self-hosted workerd", selfHosted);

  const server = await tell(silences);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const urlOf = (name: string) => `http://${LOOPBACK}:${address.port}/${encodeURIComponent(name)}`;
  project.provide("silences", Object.fromEntries([...silences.keys()].map((name) => [name, urlOf(name)])));
  return async () => {
    server.closeAllConnections();
    server.close();
    await Promise.all(running.map((one) => one.stop()));
  };
}
