import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { apiContracts } from "../../shared/api/apis.ts";
import { root } from "../../shared/cli/build.ts";
import { aptosNetworks, networks } from "../../shared/networks.ts";
import { eventSchemas, eventTypes } from "../../shared/observe/events.ts";
import { namedPaths, readReadme, section } from "./readme.ts";

async function importsOf(path: string): Promise<readonly string[]> {
  const source = await readFile(join(root, path), "utf8");
  return [...source.matchAll(/from "(\.[^"]+)"/g)].map(([, to]) => resolve(root, dirname(path), to ?? ""));
}

async function sourcesIn(folder: string): Promise<string> {
  const files = await readdir(join(root, folder));
  return (await Promise.all(files.map((file) => readFile(join(root, folder, file), "utf8")))).join("\n");
}

test("every path that the README names exists", async () => {
  const paths = namedPaths(await readReadme());
  expect(paths.length).toBeGreaterThan(20);
  for (const path of paths) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
});

test("each file on the way from a request to a signature is imported by one before it", async () => {
  const steps = section(await readReadme(), "From a request to a signature")
    .split(/^\d+\. /m)
    .slice(1);
  const files = steps.map((step) => namedPaths(step)[0] ?? "");
  expect(files[0]).toBe("functions/index.ts");
  expect(files.at(-1)).toBe("shared/crypto/signer.ts");
  const reachable = new Set<string>([resolve(root, "functions/index.ts")]);
  for (const file of files) {
    expect([file, reachable.has(resolve(root, file))]).toEqual([file, true]);
    for (const imported of await importsOf(file)) reachable.add(imported);
  }
});

test("the README explains every variable that the configuration reads, and no other", async () => {
  const source = await sourcesIn("shared/config");
  const read = [...source.matchAll(/text\("([A-Z_]+)"\)/g)].map(([, name]) => name);
  const lists = /const names = \[(.*?)\]/.exec(source)?.[1]?.match(/[A-Z_]+/g) ?? [];
  const nodes = networks.map((network) => `${network}_NODES`);
  const indexers = aptosNetworks.map((network) => `${network}_INDEXERS`);
  const table = section(await readReadme(), "Configuration")
    .split("\n")
    .filter((line) => /^\| `/.test(line));
  const named = table.flatMap((line) => (line.split("|")[1] ?? "").match(/[A-Z][A-Z_]+/g) ?? []);
  expect(named.toSorted()).toEqual([...new Set([...read, ...lists, ...nodes, ...indexers])].toSorted());
});

test("the README's table of events is that of the code: each one, with the fields of its data", async () => {
  const rows = section(await readReadme(), "Events")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, name = ""]) => /^`[a-z]+\.[a-z_]+`$/.test(name))
    .map(([, name = "", , fields = ""]) => [name.slice(1, -1), fields.split(", ")]);
  const expected = eventTypes.map((type) => [type, Object.keys(eventSchemas[type].shape)]);
  expect(rows).toEqual(expected);
});

test("the README says of a hosted service's methods which are not served, and of none that is", async () => {
  const rows = section(await readReadme(), "Moving from a hosted service")
    .split("\n")
    .filter((line) => /\| not served/.test(line));
  const named = rows.flatMap((row) => (row.split("|")[1] ?? "").match(/\b[a-z]+_[A-Za-z]+/g) ?? []);
  expect(named).toContain("gas_encodeAndSponsorTransaction");
  const served = new Set(apiContracts.flatMap(({ methods }) => methods.map(({ name }) => name)));
  expect(named.filter((name) => served.has(name))).toEqual([]);
});
