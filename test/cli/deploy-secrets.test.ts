import { execFileSync } from "node:child_process";
import { chmod, cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, vi } from "vitest";
import * as z from "zod";
import {
  DEFAULT_SECRETS_FILE,
  type Deployment,
  exactCopy,
  keepSecretsProblem,
  makeDeploymentSecrets,
  readDeploymentSecrets,
} from "../../shared/cli/deploy-secrets.ts";
import { root } from "../../shared/cli/root.ts";
import { parseSecrets, randomSecrets, secretLines } from "../../shared/cli/secrets.ts";
import { LaunchError } from "../../shared/cli/terminal.ts";
import { runWrangler } from "../../shared/cli/wrangler.ts";
import { parseConfig } from "../../shared/config/config.ts";
import { longTest, shortCases, shortTest } from "../support/rounds.ts";

const { FLOWS_CALLER_SECRET, FLOWS_SECRET, ...good } = randomSecrets();

const metadataSchema = z.object({
  bindings: z.array(z.object({ name: z.string(), type: z.string(), text: z.string().optional() })),
});

let directory: string;
let path: string;
let deployment: Deployment;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "gasworks-deployment-"));
  path = join(directory, "secrets");
  deployment = {
    vars: { REGION: "us1" },
    localSecretsPath: join(directory, ".dev.vars"),
  };
});
afterEach(() => rm(directory, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

async function write(secrets: Readonly<Record<string, string>>, to = path): Promise<void> {
  await writeFile(to, secretLines(secrets), { mode: 0o600 });
}

/** Refused with a sentence for a person, and no value in it. */
async function expectRefused(words: RegExp, file = path): Promise<void> {
  const refusal: unknown = await readDeploymentSecrets(file, deployment).catch((error: unknown) => error);
  if (!(refusal instanceof LaunchError)) throw new Error(`not refused: ${JSON.stringify(refusal)}`);
  expect(refusal.message).toMatch(words);
  for (const value of Object.values(parseSecrets(await readFile(file, "utf8"))))
    if (value.length > 8) expect(refusal.message).not.toContain(value);
}

shortTest(
  "wrangler.toml requires no secrets: which ones are needed depends on what is deployed, and is checked here",
  async () => {
    expect(await readFile(join(root, "wrangler.toml"), "utf8")).not.toMatch(/^\[secrets\]/m);
  },
);

shortTest("the workflows alone are deployed with secrets of their own, and the URL of a service", async () => {
  const alone = { FLOWS_CALLER_SECRET, FLOWS_SUI_KEY: "us1_sui_mainnet_0", FLOWS_SECRET };
  await write({ ...alone, FLOWS_BASE_URL: "https://gasworks.example.com" });
  expect(Object.keys(await readDeploymentSecrets(path, deployment))).toHaveLength(4);
  await write(alone);
  await expectRefused(/FLOWS_BASE_URL missing/);
});

shortTest("secrets that the service accepts are read as they are, without the empty ones", async () => {
  await write({ ...good, FLOWS_SUI_KEY: "", FLOWS_CALLER_SECRET: " " });
  expect(await readDeploymentSecrets(path, deployment)).toEqual(good);
  await write({ ...good, FLOWS_CALLER_SECRET, FLOWS_SUI_KEY: "us1_sui_mainnet_0" });
  expect(Object.keys(await readDeploymentSecrets(path, deployment))).toHaveLength(5);
});

describe("refused before anything is deployed:", () => {
  shortCases.each(Object.keys(good))("a file without %s", async (name) => {
    await write({ ...good, [name]: "" });
    await expectRefused(new RegExp(`: ${name} missing: the service needs `));
  });

  shortTest("a file without several, each of them named", async () => {
    await write({ ADMIN_TOKEN: good.ADMIN_TOKEN });
    await expectRefused(/: MASTER_KEYS and KEY_PEPPERS missing: the service needs /);
  });

  longTest.each([
    ["MASTER_KEYS", { MASTER_KEYS: "1:tooshort=" }, /MASTER_KEYS must be a list like 1:<base64 of 32 bytes>/],
    ["KEY_PEPPERS", { KEY_PEPPERS: "no version at all" }, /KEY_PEPPERS must be a list like/],
    ["ADMIN_TOKEN", { ADMIN_TOKEN: "short" }, /ADMIN_TOKEN must have at least 24 /],
    [
      "half of the workflows",
      { FLOWS_CALLER_SECRET },
      /FLOWS_CALLER_SECRET or JWT_ISSUER.* together with FLOWS_SUI_KEY, FLOWS_APTOS_KEY, or both/,
    ],
  ])("a malformed %s", async (_what, changed, words) => {
    await write({ ...good, ...changed });
    await expectRefused(words);
  });

  shortTest("what moves the service's clock", async () => {
    await write({ ...good, STAGE: "test", CLOCK_OFFSET_MS: "1" });
    await expectRefused(/^STAGE and CLOCK_OFFSET_MS: for this machine only/);
  });

  longTest.each(["640", "604", "620"])("a file with mode %s, which others on the machine can use", async (mode) => {
    await write(good);
    await chmod(path, mode);
    await expectRefused(/can be read by others on this machine\. Do: chmod 600 /);
  });

  shortTest(
    "the secrets of this machine's own service: that file, a link to it, a copy of one of its values",
    async () => {
      const local = randomSecrets();
      await write(local, deployment.localSecretsPath);
      const words = /holds secrets of \.dev\.vars, which belong to this machine/;
      await expectRefused(words, deployment.localSecretsPath);
      await symlink(deployment.localSecretsPath, join(directory, "linked"));
      await expectRefused(words, join(directory, "linked"));
      await write({ ...good, MASTER_KEYS: local.MASTER_KEYS });
      await expectRefused(words);
      await write(good);
      expect(await readDeploymentSecrets(path, deployment)).toEqual(good);
    },
  );
});

describe("in a repository", () => {
  beforeEach(async () => {
    execFileSync("git", ["init", "--quiet"], { cwd: directory });
    await cp(join(root, ".gitignore"), join(directory, ".gitignore"));
  });

  shortTest("a secrets file that git would commit is refused, and none is made under such a name", async () => {
    await write(good);
    await expectRefused(/^git does not ignore .*add it to \.gitignore/);
    await expect(makeDeploymentSecrets(join(directory, "other"))).rejects.toThrow(/git does not ignore/);
    await expect(stat(join(directory, "other"))).rejects.toThrow("ENOENT");
  });

  shortTest("the default secrets file is covered by this repository's .gitignore", async () => {
    const file = join(directory, basename(DEFAULT_SECRETS_FILE));
    await makeDeploymentSecrets(file);
    expect(Object.keys(await readDeploymentSecrets(file, deployment))).toHaveLength(3);
  });
});

shortTest(
  "new secrets are accepted by the service, readable by their owner only, and never written over others",
  async () => {
    await makeDeploymentSecrets(path);
    const text = await readFile(path, "utf8");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(parseConfig(parseSecrets(text)).service).not.toBeNull();
    await expect(makeDeploymentSecrets(path)).rejects.toThrow(/exists already, and is never overwritten/);
    expect(await readFile(path, "utf8")).toBe(text);
  },
);

longTest(
  "what wrangler would upload is exactly what was checked, whatever this machine's environment says; its copy is removed",
  async () => {
    const checked = { ...good, FLOWS_SUI_KEY: "$ADMIN_TOKEN" };
    const releases: (() => Promise<void> | void)[] = [];
    const copy = await exactCopy(checked, (release) => releases.push(release));
    expect((await stat(copy)).mode & 0o777).toBe(0o600);

    vi.stubEnv("ADMIN_TOKEN", "of the environment, which wrangler prefers to a line of a dotenv file");
    const form = join(directory, "form");
    const args = ["deploy", "--dry-run", "--config", join(root, "wrangler.toml"), "--outfile", form];
    const { exitCode, output } = await runWrangler([...args, "--secrets-file", copy], { cwd: root, io: "capture" });
    expect(exitCode, output).toBe(0);
    const [, metadata] = /name="metadata"\s+(\{.*\})/.exec(await readFile(form, "latin1")) ?? [];
    const { bindings } = metadataSchema.parse(JSON.parse(metadata ?? ""));
    const secrets = bindings.filter(({ type }) => type === "secret_text").map(({ name, text }) => [name, text]);
    expect(Object.fromEntries(secrets)).toEqual(checked);

    for (const release of releases) await release();
    await expect(stat(copy)).rejects.toThrow("ENOENT");
  },
);

shortTest("--keep-secrets takes no file, makes none, and compares none", () => {
  const none = { url: undefined, file: undefined, make: undefined };
  expect(keepSecretsProblem(none)).toBe(null);
  expect(keepSecretsProblem({ ...none, make: false })).toBe(null);
  expect(keepSecretsProblem({ ...none, file: ".secrets" })).toBe("--keep-secrets deploys no secrets");
  expect(keepSecretsProblem({ ...none, make: true })).toBe("--keep-secrets deploys no secrets");
  expect(keepSecretsProblem({ ...none, url: "https://x.example" })).toBe("--keep-secrets has no secrets to compare");
});
