import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { build, SERVICE } from "../../shared/cli/build.ts";
import { root } from "../../shared/cli/root.ts";
import { startWorkerd } from "../../shared/cli/workerd.ts";

/** As a dependency would look for secrets. */
const CURIOUS = `import * as workers from "cloudflare:workers";
export class Nothing {}
export default { fetch: () => Response.json([process.env.MASTER_KEYS ?? null, workers.env?.MASTER_KEYS ?? null]) };`;

test("a dependency in the bundle finds no secret in process.env, and none to import", async () => {
  const directory = await mkdtemp(join(tmpdir(), "gasworks-curious-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const scriptPath = join(directory, "index.js");
  await writeFile(scriptPath, CURIOUS);
  const bundle = {
    ...(await build(SERVICE)),
    scriptPath,
    durableObjects: [{ binding: "NOTHING", className: "Nothing" }],
  };
  const workerd = await startWorkerd({ bundle, stateDirectory: directory, vars: { MASTER_KEYS: "1:secret" } });
  onTestFinished(() => workerd.kill());
  expect(await (await fetch(workerd.url)).json()).toEqual([null, null]);
});

test("spans, which hold whole URLs, are switched off for deployments", async () => {
  expect(await readFile(join(root, "wrangler.toml"), "utf8")).toMatch(/^\[observability\.traces\]\nenabled = false$/m);
});
