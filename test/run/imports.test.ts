import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../shared/cli/build.ts";

/** Lints one file of each path, in a folder of its own under the project's rules. @returns the refused modules by path. */
async function refusedModules(paths: readonly string[], modules: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), "imports-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await copyFile(join(root, "biome.json"), join(folder, "biome.json"));
  const text = modules.map((module) => `export * from "${module}";\n`).join("");
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const options = ["--vcs-enabled=false", "--only=style/noRestrictedImports", "--max-diagnostics=none"];
  const printed = await new Promise<string>((resolve) => {
    const biome = join(root, "node_modules/.bin/biome");
    execFile(biome, ["lint", "--reporter=github", ...options], { cwd: folder }, (_, stdout) => resolve(stdout));
  });
  const found = [...printed.matchAll(/^::error title=lint\/style\/noRestrictedImports,file=([^,]+),line=(\d+),/gm)];
  const refused = new Set(found.map(([, file, line]) => `${file}:${line}`));
  return Object.fromEntries(
    paths.map((path) => [path, modules.filter((_, index) => refused.has(`${path}:${index + 1}`))]),
  );
}

test("each folder refuses the imports that are not its own", async () => {
  const aptosSdk = "@aptos-labs/ts-sdk";
  const sdks = ["@mysten/sui/bcs", "@mysten/bcs", aptosSdk];
  const tests = "../../test/a.ts";
  const functions = "../../functions/a.ts";
  const object = "../project/object.ts";
  const runtime = "cloudflare:workers";
  const engine = "./engine/a.ts";
  const deps = "../../bindings/deps.ts";
  const maker = "../chain/one-reply.ts";
  const nodePorts = [
    "../../chain/sui/grpc/node.ts",
    "../../chain/aptos/rest/node.ts",
    "../../chain/sui/chain-guard.ts",
  ];
  const refused = {
    "functions/index.ts": [...sdks, tests, maker],
    "functions/gas/a.ts": [...sdks, tests, object, runtime, maker],
    "functions/example/page/a.ts": [tests, object, runtime, maker],
    "shared/api/a.ts": [...sdks, tests, functions, object, runtime, maker],
    "shared/chain/sui/grpc/a.ts": [aptosSdk, tests, functions, object, runtime],
    "shared/cli/a.ts": [tests, functions, object, runtime, maker],
    "shared/project/object.ts": [...sdks, tests, functions, object, maker],
    "shared/fund/sui/a.ts": [...sdks, tests, functions, object, runtime, engine, deps, maker, ...nodePorts],
    "shared/fund/aptos/a.ts": [...sdks, tests, functions, object, runtime, engine, deps, maker, ...nodePorts],
    "shared/fund/ledger/a.ts": [...sdks, tests, functions, object, runtime, engine, deps, maker, ...nodePorts],
    "shared/fund/sui/engine/a.ts": [...sdks, tests, functions, object, runtime, maker],
    "test/devchain/a.ts": [functions],
  };
  const modules = [...sdks, tests, functions, object, runtime, engine, deps, maker, ...nodePorts, "zod"];
  expect(await refusedModules(Object.keys(refused), modules)).toEqual(refused);
});
