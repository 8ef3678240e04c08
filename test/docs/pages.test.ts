import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiContracts } from "../../shared/api/apis.ts";
import { root } from "../../shared/cli/root.ts";
import { aptosNetworks, networks } from "../../shared/networks.ts";
import { eventSchemas, eventTypes } from "../../shared/observe/events.ts";
import { namedPaths, type Page, pageFindings, readPage, readPages, readTree, runCommands, section } from "./pages.ts";

async function sourcesIn(folder: string): Promise<string> {
  const files = await readdir(join(root, folder));
  return (await Promise.all(files.map((file) => readFile(join(root, folder, file), "utf8")))).join("\n");
}

test("every link, path and command of every page holds, and the README is short", async () => {
  const tree = await readTree();
  const pages = await readPages(tree);
  expect(pages.length).toBeGreaterThan(15);
  expect(pages.flatMap(({ text }) => namedPaths(text)).length).toBeGreaterThan(60);
  expect(pages.flatMap(runCommands).length).toBeGreaterThan(25);
  expect(pageFindings(pages, tree)).toEqual([]);
});

describe("a page is refused", () => {
  const tree = new Set(["README.md", "shared/", "shared/a/", "shared/a/b.ts", "shared/a/README.md"]);
  const at = (path: string, text: string): Page => ({ path, text });
  const findings = (text: string) => pageFindings([at("shared/a/README.md", text), at("README.md", "# T\n")], tree);

  test("for a link to no file, or to no heading", () => {
    expect(findings("[a](../../README.md#t), [b](b.ts), [c](https://example.com/x), [d](../a)\n")).toEqual([]);
    expect(findings("[a](c.ts)")).toEqual(["shared/a/README.md: dead link: c.ts"]);
    expect(findings("[a](../../README.md#u)")).toEqual(["shared/a/README.md: dead link: ../../README.md#u"]);
    expect(findings("# One two\n[a](#one-two) [b](#three)")).toEqual(["shared/a/README.md: dead link: #three"]);
  });

  test("for a path that does not exist, from the root or from the page", () => {
    expect(findings("`shared/a/b.ts`, `b.ts`, `a/b`, `/wallet/v1`, `shared/**`, `README.md`, `shared/a/`\n")).toEqual(
      [],
    );
    expect(findings("`shared/a/c.ts`")).toEqual(["shared/a/README.md: no such path: shared/a/c.ts"]);
    expect(findings("`shared/c/`")).toEqual(["shared/a/README.md: no such path: shared/c/"]);
    expect(findings("`x/b.ts`")).toEqual(["shared/a/README.md: no such path: x/b.ts"]);
    expect(findings("`c.ts`")).toEqual(["shared/a/README.md: no such path: c.ts"]);
  });

  test("for a command that does not say how it runs", () => {
    for (const info of ["sh run", "sh run by shared/a/b.ts", "sh not run: it needs an account", "ts", "text"])
      expect([info, findings(`\`\`\`${info}\nls\n\`\`\`\n`)]).toEqual([info, []]);
    for (const info of ["sh", "bash", "sh not run:", "sh run by shared/a/c.ts"])
      expect([info, findings(`\`\`\`${info}\nls\n\`\`\`\n`).length]).toEqual([info, 1]);
  });

  test("for more than 8 kB of README", () => {
    expect(pageFindings([at("README.md", "é".repeat(4_000))], tree)).toEqual([]);
    expect(pageFindings([at("README.md", "é".repeat(4_001))], tree)).toEqual(["README.md has 8002 bytes, above 8000"]);
  });
});

test("the glossary has each term once, in alphabetical order", async () => {
  const rows = section(await readPage("CONTRIBUTING.md"), "Glossary").split("\n");
  const terms = rows.flatMap((row) => /^\| (.+?) \|/.exec(row)?.[1]?.toLowerCase() ?? []).slice(1);
  expect(terms.length).toBeGreaterThan(40);
  expect(terms).toEqual([...new Set(terms)].toSorted());
});

test("a page explains every variable that the configuration reads, and no other", async () => {
  const source = await sourcesIn("shared/config");
  const read = [...source.matchAll(/text\("([A-Z_]+)"\)/g)].map(([, name]) => name);
  const lists = /const names = \[(.*?)\]/.exec(source)?.[1]?.match(/[A-Z_]+/g) ?? [];
  const nodes = networks.map((network) => `${network}_NODES`);
  const indexers = aptosNetworks.flatMap((network) => [`${network}_INDEXERS`, `${network}_ARCHIVES`]);
  const { text } = await readPage("shared/config/README.md");
  const table = text.split("\n").filter((line) => /^\| `/.test(line));
  const named = table.flatMap((line) => (line.split("|")[1] ?? "").match(/[A-Z][A-Z_]+/g) ?? []);
  expect(named.toSorted()).toEqual([...new Set([...read, ...lists, ...nodes, ...indexers])].toSorted());
});

test("the table of events on the page of webhooks is that of the code: each one, with the fields of its data", async () => {
  const rows = section(await readPage("shared/webhooks/README.md"), "Events")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, name = ""]) => /^`[a-z]+\.[a-z_]+`$/.test(name))
    .map(([, name = "", , fields = ""]) => [name.slice(1, -1), fields.split(", ")]);
  const expected = eventTypes.map((type) => [type, Object.keys(eventSchemas[type].shape)]);
  expect(rows).toEqual(expected);
});

test("the page of the wire names a hosted service's methods that are not served, and none that is", async () => {
  const rows = section(await readPage("shared/api/README.md"), "What differs from a hosted service")
    .split("\n")
    .filter((line) => /\| not served/.test(line));
  const named = rows.flatMap((row) => (row.split("|")[1] ?? "").match(/\b[a-z]+_[A-Za-z]+/g) ?? []);
  expect(named).toContain("shinami_walx");
  const served = new Set(apiContracts.flatMap(({ methods }) => methods.map(({ name }) => name)));
  expect(named.filter((name) => served.has(name))).toEqual([]);
});
