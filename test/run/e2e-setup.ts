import { createWriteStream } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import * as z from "zod";
import { build, root } from "../../shared/cli/build.ts";
import { localNodes, startPlatform } from "../../shared/cli/platform.ts";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { randomSecrets } from "../../shared/cli/secrets.ts";

const commandSchema = z.discriminatedUnion("do", [
  z.object({ do: z.literal("advance"), ms: z.int().min(0) }),
  z.object({ do: z.literal("scheduled"), cron: z.string() }),
  z.object({ do: z.literal("set"), serviceVars: z.record(z.string(), z.string()) }),
  z.object({ do: z.literal("reset") }),
]);
export type Command = z.input<typeof commandSchema>;

/**
 * Starts the one service and chain that all end-to-end files share: the bundle that would be deployed, on ports of its
 * own, with a temporary state directory. Test files run elsewhere, so what only this process can do (restart with
 * another clock, fire a cron) is reached through a small control server.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [service, chain] = await Promise.all([build("service"), build("chain")]);
  const log = createWriteStream(join(root, "dist/e2e.log"));
  const secrets = randomSecrets();
  const { FLOWS_CALLER_SECRET: callerSecret, ...serviceVars } = secrets;
  const platform = await startPlatform({
    service,
    chain,
    serviceVars,
    onLog: (line) => log.write(`${line}\n`),
  });
  let clockOffsetMs = 0;
  const initial: Readonly<Record<string, string>> = { ...localNodes(platform.chainUrl), ...serviceVars };
  const changed = new Set<string>();

  async function set(vars: Readonly<Record<string, string>>): Promise<void> {
    await platform.restart({ serviceVars: vars });
    for (const [name, value] of Object.entries(vars)) {
      if (value === (initial[name] ?? "")) changed.delete(name);
      else changed.add(name);
    }
  }

  async function obey(command: z.output<typeof commandSchema>): Promise<void> {
    switch (command.do) {
      case "advance":
        clockOffsetMs += command.ms;
        return platform.restart({ clockOffsetMs });
      case "scheduled":
        return platform.scheduled(command.cron);
      case "set":
        return set(command.serviceVars);
      case "reset":
        if (changed.size > 0) await set(Object.fromEntries([...changed].map((name) => [name, initial[name] ?? ""])));
    }
  }

  const control = createServer((request, response) => {
    readJson(request)
      .then((body) => obey(commandSchema.parse(body)))
      .then(
        () => response.writeHead(200).end(JSON.stringify({ clockOffsetMs })),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  });
  await new Promise<void>((resolve) => control.listen(0, LOOPBACK, resolve));
  const address = control.address();
  if (address === null || typeof address === "string") throw new Error("the control server has no port");

  project.provide("harness", {
    serviceUrl: platform.serviceUrl,
    chainUrl: platform.chainUrl,
    adminToken: secrets.ADMIN_TOKEN,
    callerSecret,
    flowsSecret: secrets.FLOWS_SECRET,
    controlUrl: `http://${LOOPBACK}:${address.port}`,
    crons: service.crons,
  });
  return async () => {
    control.closeAllConnections();
    control.close();
    await platform.stop();
    log.end();
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}
