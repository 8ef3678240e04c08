import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConfig } from "../../shared/config.ts";
import { loadOrCreateSecrets, parseSecrets } from "./secrets.ts";

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

test("a file that someone wrote is read and never changed", async () => {
  const path = join(directory, "theirs");
  const text = '# mine\nADMIN_TOKEN = "quoted value"\nexport MASTER_KEYS=1:abc=\nEMPTY=\n';
  await writeFile(path, text);
  expect(await loadOrCreateSecrets(path)).toEqual({ ADMIN_TOKEN: "quoted value", MASTER_KEYS: "1:abc=", EMPTY: "" });
  expect(await readFile(path, "utf8")).toBe(text);
  expect(parseSecrets("not a line")).toEqual({});
});
