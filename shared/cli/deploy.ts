import { join, resolve } from "node:path";
import { type Hold, runCommand } from "./command.ts";
import {
  DEFAULT_SECRETS_FILE,
  type Deployment,
  exactCopy,
  keepSecretsProblem,
  makeDeploymentSecrets,
  readDeploymentSecrets,
} from "./deploy-secrets.ts";
import { LOCAL, shown } from "./place.ts";
import type { Variables } from "./platform.ts";
import { loadPolicy } from "./policy.ts";
import { root } from "./root.ts";
import { parseOptions, print, UsageError, warn } from "./terminal.ts";
import { alignWorkflowKeys, maySetKeyPolicy, uncomparedKeysText } from "./workflow-keys.ts";
import { readWranglerConfig, runWrangler } from "./wrangler.ts";
import { refuseOtherSecrets } from "./wrong-secrets.ts";

const USAGE = `Usage: npm run deploy [-- options]

Deploys the service, the workflows, or both to your own Cloudflare account: whatever the secrets are for.

  --make-secrets          write a new secrets file with random secrets, and deploy nothing
  --secrets-file <path>   the secrets to deploy, NAME=value a line; default ${shown(DEFAULT_SECRETS_FILE)}
  --keep-secrets          deploy code and variables only: the secrets stay as they were deployed
  --url <https://…>       where it is deployed already: compares the secrets with those in use before anything is uploaded,
                          and compares the workflows' access keys with functions/policy.ts after it
  --set-key-policy        with --url: gives these keys the Move calls of functions/policy.ts; without it, keys that differ
                          are named and stay. SET_KEY_POLICY=1 in the environment says the same
  --name <worker>         under another name than wrangler.toml has, for the workflows apart from the service
  --dry-run               check and bundle everything, upload nothing
  --help                  this text`;

const OPTIONS = {
  "make-secrets": { type: "boolean" },
  "secrets-file": { type: "string" },
  "keep-secrets": { type: "boolean" },
  name: { type: "string" },
  url: { type: "string" },
  "set-key-policy": { type: "boolean" },
  "dry-run": { type: "boolean" },
} as const;

const EXIT_INTERRUPTED = 130;
const configPath = join(root, "wrangler.toml");

async function makeSecrets(path: string): Promise<void> {
  await makeDeploymentSecrets(path);
  print(`New secrets are in ${path}, readable by you only.
Back this file up now, where you would keep a wallet's key: losing MASTER_KEYS loses the funds. Nobody can restore it,
and Cloudflare does not show a secret again.

Then deploy with them: npm run deploy`);
}

interface Deployed {
  /** Variables and secrets together. */
  readonly vars: Variables;
  /** Arguments of wrangler. */
  readonly args: readonly string[];
}

async function withSecrets(path: string, url: string | undefined, hold: Hold): Promise<Deployed> {
  const { vars } = await readWranglerConfig(configPath);
  const deployment: Deployment = { vars, localSecretsPath: LOCAL.secretsPath };
  const checked = await readDeploymentSecrets(path, deployment);
  print(`Secrets from ${path}: ${Object.keys(checked).join(", ")}`);
  if (url === undefined)
    print("They are not compared with those of an earlier deployment: --url https://<where it answers> does that.");
  else await refuseOtherSecrets(url, path, { ...vars, ...checked });
  return { vars: { ...vars, ...checked }, args: ["--secrets-file", await exactCopy(checked, hold)] };
}

await runCommand({
  exitCodeWhenInterrupted: EXIT_INTERRUPTED,
  run: async (hold) => {
    const options = parseOptions(USAGE, OPTIONS);
    if (options === null) return 0;
    const { "secrets-file": file, "make-secrets": make, "keep-secrets": keep, "dry-run": dryRun, name } = options;
    const problem = keep === true ? keepSecretsProblem({ url: options.url, file, make }) : null;
    if (problem !== null) throw new UsageError(problem, USAGE);
    // npm runs scripts in the repository. Paths are relative to the person's directory.
    const path = file === undefined ? DEFAULT_SECRETS_FILE : resolve(process.env.INIT_CWD ?? "", file);
    if (make === true) {
      await makeSecrets(path);
      return 0;
    }
    const policy = await loadPolicy();
    const deployed = keep === true ? null : await withSecrets(path, options.url, hold);
    const named = name === undefined ? [] : ["--name", name];
    const args = [
      "deploy",
      "--config",
      configPath,
      ...named,
      ...(dryRun === true ? ["--dry-run"] : []),
      ...(deployed?.args ?? []),
    ];
    const { exitCode } = await runWrangler(args, { cwd: root, io: "terminal" });
    if (exitCode !== 0) return exitCode ?? 1;
    if (dryRun === true) {
      print("Dry run: nothing was uploaded.");
      return 0;
    }
    if (deployed === null) {
      warn(uncomparedKeysText(policy));
      return 0;
    }
    const mayChange = maySetKeyPolicy(options["set-key-policy"]);
    const alignment = { rules: policy, mayChange, adminToken: process.env.FLOWS_ADMIN_TOKEN, tell: print, warn };
    return (await alignWorkflowKeys(deployed.vars, options.url ?? null, alignment)) ? 0 : 1;
  },
});
