import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadOrCreateSecrets, parseSecrets } from "../../shared/cli/secrets.ts";
import { parseConfig } from "../../shared/config/config.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "gasworks-secrets-"));
});
afterAll(() => rm(directory, { recursive: true }));

test("a first start makes secrets that the service accepts, readable by their owner only, and later starts keep them", async () => {
  const path = join(directory, "made");
  const made = await loadOrCreateSecrets(path);
  expect(parseConfig({ ...made, FLOWS_SUI_KEY: "any" }).service).not.toBeNull();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await loadOrCreateSecrets(path)).toEqual(made);
  expect(await loadOrCreateSecrets(join(directory, "other"))).not.toEqual(made);
});

test("a file that someone wrote keeps its lines, and gets the secrets that it lacks", async () => {
  const path = join(directory, "theirs");
  const text = '# mine\nSUI_TESTNET_NODES="https://node.example"\nexport MASTER_KEYS=1:abc=\nADMIN_TOKEN=\nLAST=line';
  await writeFile(path, text, { mode: 0o644 });
  const filled = await loadOrCreateSecrets(path);
  expect(filled).toMatchObject({ SUI_TESTNET_NODES: "https://node.example", MASTER_KEYS: "1:abc=", LAST: "line" });
  expect((await readFile(path, "utf8")).startsWith(`${text}\n`)).toBe(true);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const { MASTER_KEYS: _, ...made } = filled;
  const whole = { ...made, MASTER_KEYS: `1:${Buffer.alloc(32, 1).toString("base64")}`, FLOWS_SUI_KEY: "any" };
  expect(parseConfig(whole).service).not.toBeNull();
  expect(await loadOrCreateSecrets(path), "a second start changes nothing").toEqual(filled);
  expect(parseSecrets("not a line")).toEqual({});
});
