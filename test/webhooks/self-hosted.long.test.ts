import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import * as z from "zod";
import { type AdminAccess, adminCall, createKey, createProject } from "../../shared/cli/client/admin.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { type SelfHosted, startSelfHosted } from "../harness/self-hosted.ts";
import { masterKey, rewrap } from "../support/wallet-client.ts";

const PATIENCE_MS = 60_000;

interface Received {
  readonly host: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** Receivers behind public names, to which the runtime's own network leads. */
async function startReceivers() {
  const received: Received[] = [];
  const byHost = new Map<string, Answering>();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { host = "" } = request.headers;
    received.push({ host, headers: z.record(z.string(), z.string()).parse(request.headers), body });
    (byHost.get(host) ?? accept)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const address = z.object({ port: z.int() }).parse(server.address());
  return {
    address: `${LOOPBACK}:${address.port}`,
    received,
    at: (host: string, answering: Answering) => void byHost.set(host, answering),
    ofHost: (host: string) => received.filter((one) => one.host === host),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const accept: Answering = (_, response) => void response.writeHead(204).end();

async function until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !(await condition()); await new Promise((r) => setTimeout(r, 50)))
    if (Date.now() > deadline) throw new Error(`${what} did not happen`);
}

const webhookSchema = z.object({ id: z.string(), secret: z.string() });

async function newWebhook(access: AdminAccess, projectId: string, host: string) {
  const body = { url: `https://${host}/hook`, events: ["key.disabled"] };
  const made = await adminCall(access, "POST", `/projects/${projectId}/webhooks`, body);
  const { id, secret } = expectAnswer("the webhook", made, webhookSchema);
  return { path: `/projects/${projectId}/webhooks/${id}`, host, secret };
}

/** An event: a key of the project is disabled. */
async function raise(access: AdminAccess, projectId: string): Promise<string> {
  const { id } = await createKey(access, projectId, { name: "a key", rights: ["wallet"] });
  const disabled = await adminCall(access, "PATCH", `/keys/${id}`, { status: "disabled" });
  expectAnswer("disabling", disabled, z.object({ status: z.literal("disabled") }));
  return id;
}

const deliverySchema = z.object({
  items: z.array(z.object({ state: z.string(), lastStatus: z.int().nullable(), lastError: z.string().nullable() })),
});

async function deliveries(access: AdminAccess, { path }: { readonly path: string }) {
  return expectAnswer("deliveries", await adminCall(access, "GET", `${path}/deliveries?limit=200`), deliverySchema)
    .items;
}

async function selfHosted(vars: Record<string, string> = {}) {
  const receivers = await startReceivers();
  const hosted = await startSelfHosted({ vars: { service: vars }, webhookReceiver: receivers.address });
  const projectId = await createProject(hosted, "webhooks", { secretDerivation: "hkdf" });
  const stop = async () => {
    await hosted.stop();
    receivers.stop();
  };
  return { receivers, hosted, projectId, stop };
}

test("on workerd, over HTTP: who accepts, fails, redirects, hangs, breaks off or is gone has the outcome that is due", async () => {
  const { receivers, hosted, projectId, stop } = await selfHosted();
  try {
    receivers.at("fails.example.com", (_, response) => response.writeHead(503).end("busy"));
    receivers.at("moved.example.com", (_, response) =>
      response.writeHead(307, { location: "https://elsewhere.example.com/" }).end(),
    );
    receivers.at("gone.example.com", (_, response) => response.writeHead(410).end());
    receivers.at("hangs.example.com", () => {});
    receivers.at("breaks.example.com", ({ socket }) => socket.destroy());
    receivers.at("endless.example.com", (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x".repeat(65_536)), 1);
      response.on("close", () => clearInterval(timer));
    });
    const names = ["hangs", "fails", "moved", "gone", "breaks", "endless", "accepts"];
    const webhooks = new Map<string, Awaited<ReturnType<typeof newWebhook>>>();
    for (const name of names) webhooks.set(name, await newWebhook(hosted, projectId, `${name}.example.com`));
    const of = (name: string) => deliveries(hosted, webhooks.get(name) ?? { path: "" });
    const keyId = await raise(hosted, projectId);
    await until("the delivery", async () => (await of("accepts"))[0]?.state === "delivered");
    expect(await of("hangs"), "who hangs keeps nobody waiting").toMatchObject([{ lastStatus: null, lastError: null }]);
    const [received] = receivers.ofHost("accepts.example.com");
    if (received === undefined) throw new Error("nothing was received");
    const verified = new Webhook(webhooks.get("accepts")?.secret ?? "").verify(received.body, received.headers);
    expect(verified).toMatchObject({ type: "key.disabled", data: { keyId } });
    await until("the time-out", async () => (await of("hangs"))[0]?.lastError != null);
    expect(await of("hangs")).toMatchObject([{ state: "pending", lastError: "no answer within 15 s" }]);
    expect(await of("fails")).toMatchObject([{ state: "pending", lastStatus: 503 }]);
    expect(await of("moved")).toMatchObject([{ state: "pending", lastStatus: 307 }]);
    expect(await of("gone")).toMatchObject([{ state: "pending", lastStatus: 410 }]);
    expect(await of("breaks")).toMatchObject([{ state: "pending", lastStatus: null, lastError: "no connection" }]);
    expect(await of("endless")).toMatchObject([{ state: "delivered", lastStatus: 200 }]);
    expect(receivers.ofHost("elsewhere.example.com")).toEqual([]);
    const gone = await adminCall(hosted, "GET", webhooks.get("gone")?.path ?? "");
    expect(gone.body).toMatchObject({ enabled: false, disabledCause: "gone" });
  } finally {
    await stop();
  }
});

test("workerd is killed again and again while events are made and sent: every one of them arrives, under one id each", async () => {
  const { receivers, hosted, projectId, stop } = await selfHosted();
  try {
    const webhook = await newWebhook(hosted, projectId, "slow.example.com");
    receivers.at("slow.example.com", (_, response) => setTimeout(() => response.writeHead(204).end(), 40));
    const raised = new Set<string>();
    for (let kill = 0; kill < 6; kill++) {
      for (let events = 0; events < 5; events++) raised.add(await raise(hosted, projectId));
      await new Promise((resolve) => setTimeout(resolve, kill * 130));
      await hosted.service.restart();
    }
    const delivered = async () => (await deliveries(hosted, webhook)).filter(({ state }) => state === "delivered");
    // What was under way when it was killed comes again a minute later.
    for (const deadline = Date.now() + 150_000; (await delivered()).length < raised.size; ) {
      if (Date.now() > deadline) throw new Error(`${(await delivered()).length} of ${raised.size} arrived`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const idsByKey = new Map<string, Set<string>>();
    const eventSchema = z.object({ data: z.object({ keyId: z.string() }) });
    for (const one of receivers.received) {
      const { keyId } = eventSchema.parse(new Webhook(webhook.secret).verify(one.body, one.headers)).data;
      idsByKey.set(keyId, (idsByKey.get(keyId) ?? new Set()).add(one.headers["webhook-id"] ?? ""));
    }
    expect(new Set(idsByKey.keys())).toEqual(raised);
    expect([...idsByKey.values()].every((ids) => ids.size === 1)).toBe(true);
  } finally {
    await stop();
  }
});

/** The order to re-seal, and the end of the process at about the moment in which it is carried out. */
async function killDuringRewrap(hosted: SelfHosted, afterMs: number): Promise<void> {
  const order = adminCall(hosted, "POST", "/master-key/rewrap").catch(() => null);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await hosted.service.restart();
  await order;
}

test("a kill during the re-seal of webhook secrets loses none: all sign as before, without the old master key", async () => {
  const [first, second] = [masterKey(1), masterKey(2)];
  const { receivers, hosted, projectId, stop } = await selfHosted({ MASTER_KEYS: first });
  try {
    const projects = [projectId, await createProject(hosted, "another", { secretDerivation: "hkdf" })];
    const webhooks: (Awaited<ReturnType<typeof newWebhook>> & { readonly newSecret: string })[] = [];
    for (const [index, project] of projects.entries())
      for (let count = 0; count < 20; count++) {
        const webhook = await newWebhook(hosted, project, `r${index}-${count}.example.com`);
        const rotated = await adminCall(hosted, "POST", `${webhook.path}/rotate-secret`);
        const { secret: newSecret } = expectAnswer("the new secret", rotated, z.object({ secret: z.string() }));
        webhooks.push({ ...webhook, newSecret });
      }
    await hosted.service.restart({ MASTER_KEYS: `${first},${second}` });
    for (let kill = 0; kill < 8; kill++) await killDuringRewrap(hosted, 2 + kill * 4);
    await rewrap(hosted);
    await hosted.service.restart({ MASTER_KEYS: second });
    for (const project of projects) await raise(hosted, project);
    for (const { host, secret, newSecret } of webhooks) {
      await until(`the delivery to ${host}`, () => receivers.ofHost(host).length > 0);
      const [received] = receivers.ofHost(host);
      for (const known of [secret, newSecret])
        expect(new Webhook(known).verify(received?.body ?? "", received?.headers ?? {})).toBeTruthy();
    }
  } finally {
    await stop();
  }
});
