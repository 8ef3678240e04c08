import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { miniflareWorker } from "./test/local/platform.ts";
import { randomSecrets } from "./test/local/secrets.ts";
import { besideFixtureSecrets } from "./test/storage/fixture-secrets.ts";

const secrets = randomSecrets();
const { MASTER_KEYS, KEY_PEPPERS } = besideFixtureSecrets(secrets);
const { ADMIN_TOKEN } = secrets;

// The plugin would warn that the secrets above are not in a file.
process.env.WRANGLER_LOG ??= "error";

export default defineConfig(({ mode }) => {
  // `npm run test:long` runs `*.long.test.ts` only; ordinary runs leave those out.
  const long = mode === "long";
  const ending = long ? ".long.test.ts" : ".test.ts";
  const timeouts = long ? { testTimeout: 600_000, hookTimeout: 60_000 } : { testTimeout: 20_000, hookTimeout: 30_000 };
  const inRuntime = `test/**/*.workerd${ending}`;
  const endToEnd = `test/**/*.e2e${ending}`;

  return {
    test: {
      passWithNoTests: long,
      silent: "passed-only",
      projects: [
        {
          test: {
            name: "pure",
            include: [`test/**/*${ending}`],
            exclude: [inRuntime, endToEnd, ...(long ? [] : ["test/**/*.long.test.ts"])],
            ...timeouts,
          },
        },
        {
          plugins: [
            cloudflareTest(({ inject }) => ({
              wrangler: { configPath: "./wrangler.toml" },
              miniflare: {
                bindings: { MASTER_KEYS, KEY_PEPPERS, ADMIN_TOKEN, SUI_LOCALNET_NODES: "http://chain.test/sui" },
                // Every outbound fetch, whatever its host, lands in the development chain: no test reaches the network.
                outboundService: "chain",
                workers: [miniflareWorker(inject("chain"))],
              },
            })),
          ],
          test: {
            name: "workerd",
            include: [inRuntime],
            ...timeouts,
            globalSetup: ["./test/local/chain-setup.ts"],
            setupFiles: ["./test/local/workerd-setup.ts"],
            isolate: false,
            maxWorkers: 1,
            sequence: { groupOrder: 1 },
          },
        },
        {
          test: {
            name: "e2e",
            include: [endToEnd],
            ...timeouts,
            globalSetup: ["./test/local/e2e-setup.ts"],
            // One service for all files, and a test may restart it to move its clock.
            fileParallelism: false,
            maxWorkers: 1,
            sequence: { groupOrder: 2 },
          },
        },
      ],
    },
  };
});
