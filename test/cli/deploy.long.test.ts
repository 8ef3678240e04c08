import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_SECRETS_FILE } from "../../shared/cli/deploy-secrets.ts";
import { root } from "../../shared/cli/root.ts";
import { parseSecrets } from "../../shared/cli/secrets.ts";
import { untilEnded, withScript } from "../harness/launcher.ts";

let directory: string;
let file: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "gasworks-deploy-test-"));
  file = join(directory, "secrets");
});
afterAll(() => rm(directory, { recursive: true }));

async function deploy(...args: readonly string[]) {
  // The configuration of the tests has wrangler say errors only.
  const env = { WRANGLER_LOG: "log", TMPDIR: directory };
  return withScript(["run", "deploy", "--", ...args], { cwd: root, env }, async (script) => {
    const exitCode = await untilEnded(script);
    return { exitCode, output: script.output() };
  });
}

async function copiesLeft(): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => name.startsWith("gasworks-deploy-"));
}

// Each test goes on from the one before.
describe.sequential("npm run deploy", () => {
  test("without a secrets file is refused in a sentence: what is needed, and how to make it", async () => {
    const { exitCode, output } = await deploy("--dry-run", "--secrets-file", file);
    expect(exitCode).toBe(1);
    expect(output).toContain(`There is no ${file}, and a first deployment needs MASTER_KEYS, KEY_PEPPERS, ADMIN_TOKEN`);
    expect(output).toContain("npm run deploy -- --make-secrets");
    expect(output).not.toContain("    at ");
    expect(output).not.toContain("Total Upload");
  });

  test("--make-secrets writes them, says what losing them means, and never overwrites", async () => {
    const made = await deploy("--make-secrets", "--secrets-file", file);
    expect(made).toMatchObject({ exitCode: 0, output: expect.stringMatching(/losing MASTER_KEYS loses the funds/) });
    const text = await readFile(file, "utf8");
    const again = await deploy("--make-secrets", "--secrets-file", file);
    expect(again).toMatchObject({ exitCode: 1, output: expect.stringMatching(/exists already, and is never overw/) });
    expect(await readFile(file, "utf8")).toBe(text);
  });

  test("--dry-run does everything with them but the upload, shows none, and leaves no copy", async () => {
    const { exitCode, output } = await deploy("--dry-run", "--secrets-file", file);
    expect(exitCode, output).toBe(0);
    const secrets = parseSecrets(await readFile(file, "utf8"));
    expect(Object.keys(secrets).toSorted()).toEqual(["ADMIN_TOKEN", "KEY_PEPPERS", "MASTER_KEYS"]);
    for (const [name, value] of Object.entries(secrets)) {
      expect(output).toContain(`env.${name} ("(hidden)")`);
      expect(output).not.toContain(value);
    }
    expect(output).toContain("Total Upload");
    expect(output).toContain("Dry run: nothing was uploaded");
    expect(await copiesLeft()).toEqual([]);
  });

  test("--url has them compared before anything is uploaded: where nobody can be asked, nothing is", async () => {
    const { exitCode, output } = await deploy("--dry-run", "--secrets-file", file, "--url", "http://127.0.0.1:9");
    expect(exitCode).toBe(1);
    expect(output).toContain("so that its secrets cannot be compared");
    expect(output).not.toContain("Total Upload");
    expect(await copiesLeft()).toEqual([]);
  });

  test("--keep-secrets deploys none, and takes no file", async () => {
    const kept = await deploy("--keep-secrets", "--dry-run");
    expect(kept).toMatchObject({ exitCode: 0, output: expect.stringContaining("Total Upload") });
    expect(kept.output).not.toContain("MASTER_KEYS");
    const both = await deploy("--keep-secrets", "--dry-run", "--secrets-file", file);
    expect(both).toMatchObject({ exitCode: 2, output: expect.stringContaining("--keep-secrets deploys no secrets") });
  });

  test("an option that it does not know is refused with the usage, which names the default file", async () => {
    const { exitCode, output } = await deploy("--yes");
    expect(exitCode).toBe(2);
    expect(output).toMatch(/'--yes'[\s\S]*Usage: npm run deploy[\s\S]*default \.secrets\.production/);
    expect(DEFAULT_SECRETS_FILE).toBe(join(root, ".secrets.production"));
  });
});
