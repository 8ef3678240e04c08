import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkState } from "../../shared/cli/check-state.ts";
import { root } from "../../shared/cli/root.ts";

let state: string;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "gasworks-check-"));
  await addObject("Directory", "directory-v2");
  await addObject("Project", "project-v6");
});
afterEach(() => rm(state, { recursive: true, force: true }));

let objects = 0;
/** A file as the runtime lays it out, with what a landed version has stored. */
async function addObject(className: string, fixture: string): Promise<string> {
  const directory = join(state, "objects", `service-${className}`);
  await mkdir(directory, { recursive: true });
  objects += 1;
  const path = join(directory, `${objects.toString(16).padStart(64, "0")}.sqlite`);
  const database = new DatabaseSync(path);
  database.exec(await readFile(join(root, `test/storage/fixtures/${fixture}.sql`), "utf8"));
  database.close();
  return path;
}

test("sound state, of older versions too, has no findings", async () => {
  await addObject("Fund", "fund-v1");
  await addObject("Fund", "fund-v7");
  await addObject("AccessKey", "access-key-v5");
  expect(await checkState(state)).toEqual({
    counts: { AccessKey: 1, Directory: 1, Fund: 2, Project: 1 },
    findings: [],
  });
});

test("a damaged file is named, and hides no other", async () => {
  await addObject("Fund", "fund-v7");
  const damaged = await addObject("Fund", "fund-v7");
  const bytes = await readFile(damaged);
  await writeFile(damaged, bytes.fill(0x55, 4_096));
  const torn = await addObject("Wallet", "wallet-v3");
  await writeFile(torn, "no database");
  const { counts, findings } = await checkState(state);
  expect(counts).toMatchObject({ Fund: 2, Wallet: 1 });
  expect([...new Set(findings.map((finding) => finding.slice(0, finding.indexOf(":"))))]).toEqual([damaged, torn]);
});

test("what a newer build has written, and what is missing, is named; the exit code says so", async () => {
  const newer = await addObject("Fund", "fund-v7");
  const database = new DatabaseSync(newer);
  database.exec("INSERT INTO schema_version (version) VALUES (99)");
  database.close();
  const path = await addObject("AccessKey", "access-key-v5");
  await writeFile(`${path}-wal`, "");
  await rm(path);
  const { findings } = await checkState(state);
  expect(findings).toEqual([
    `${path}-wal: its .sqlite file is missing`,
    expect.stringMatching(/schema 99, this build knows [0-9]+/),
  ]);
  const script = join(root, "shared/cli/check-state.ts");
  const ran = spawnSync(process.execPath, [script, "--state", state], { encoding: "utf8" });
  expect([ran.status, ran.stdout]).toEqual([1, expect.stringContaining("2 findings")]);
});

test("a wrong option ends the command with 2, and prints the right ones", () => {
  const script = join(root, "shared/cli/check-state.ts");
  const ran = spawnSync(process.execPath, [script, "--stat", "x"], { encoding: "utf8" });
  expect([ran.status, ran.stderr]).toEqual([2, expect.stringMatching(/'--stat'[\s\S]*Usage: npm run check-state/)]);
});
