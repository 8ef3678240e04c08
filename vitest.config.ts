import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { miniflareWorker } from "./shared/cli/platform.ts";
import { randomSecrets } from "./shared/cli/secrets.ts";
import { SHOWS_AT_ONCE } from "./test/run/chain-delays.ts";
import { ALONE, MEASURED } from "./test/run/suites.ts";
import { wranglerConfigForTests } from "./test/run/vitest-wrangler.ts";
import { besideFixtureSecrets } from "./test/storage/fixture-secrets.ts";

const secrets = randomSecrets();
const { MASTER_KEYS, KEY_PEPPERS } = besideFixtureSecrets(secrets);
const { ADMIN_TOKEN } = secrets;

// The plugin would warn that the secrets above are not in a file.
process.env.WRANGLER_LOG ??= "error";

/** Half minutes and more. */
const LONGEST = [
  "test/byzantine-node/all-at-once.",
  "test/webhooks/self-hosted.",
  "test/devchain/property.",
  "test/kills/kill.",
  "test/drain/drain.e2e.",
  "test/security/security.e2e.",
  "test/workflow/attempts.",
  "test/workflow/create-wallet.",
  "test/workflow/deployments.",
  "test/workflow/rotated-key.",
  "test/stock-clients/clients.",
  "test/docs/pages.",
  "test/service/sui-gas/withdraw.",
  "test/service/sui-gas/address-balance.",
  "test/service/sui-gas/deadline.",
  "test/cli/move-assets.e2e.",
];

/** Services with a chain of their own, for the end-to-end files. Most of a file's time is waiting for its chain. */
const SERVICES = 2;

interface EndToEndFiles {
  readonly include: string[];
  readonly exclude: string[];
  readonly maxWorkers: number;
  readonly groupOrder: number;
}

/** By size and by how long they took, but what takes longest begins first, so that nobody waits for it alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((part) => moduleId.includes(part));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig(({ mode }) => {
  // `npm run test:long` runs `*.long.test.ts` only; ordinary runs leave those out.
  const long = mode === "long";
  const ending = long ? ".long.test.ts" : ".test.ts";
  const timeouts = long
    ? { testTimeout: 600_000, hookTimeout: 60_000 }
    : { testTimeout: 120_000, hookTimeout: 120_000 };
  const inRuntime = `test/**/*.workerd${ending}`;
  const endToEnd = `test/**/*.e2e${ending}`;
  const silences = "test/**/*.silence.long.test.ts";
  const workers = 3;
  const { SEED = "20260101" } = process.env;
  const seed = SEED === "random" ? null : Number.parseInt(SEED, 10);
  const seeded = { provide: { seed }, setupFiles: ["./test/run/seed.ts"] };

  const measured = {
    test: { name: "measured", include: MEASURED, ...timeouts, ...seeded, maxWorkers: 1, sequence: { groupOrder: 3 } },
  };
  /** Each worker has a service of its own, which a test may restart to move its clock. */
  const endToEndProject = (name: string, { include, exclude, maxWorkers, groupOrder }: EndToEndFiles) => ({
    test: {
      name,
      include,
      exclude,
      ...timeouts,
      provide: { seed },
      setupFiles: ["./test/run/seed.ts", "./test/run/e2e-reset.ts"],
      globalSetup: ["./test/run/e2e-setup.ts"],
      isolate: false,
      maxWorkers,
      sequence: { groupOrder },
    },
  });
  const alone = endToEndProject("e2e-alone", { include: ALONE, exclude: [], maxWorkers: 1, groupOrder: 4 });
  const silence = {
    test: {
      name: "silence",
      include: [silences],
      ...timeouts,
      globalSetup: ["./test/run/silence-setup.ts"],
      // Its ten minutes begin before all others, and end after most of them.
      sequence: { groupOrder: 5 },
    },
  };

  return {
    test: {
      passWithNoTests: long,
      sequence: { sequencer: LongestFirst },
      silent: "passed-only",
      projects: [
        {
          test: {
            name: "pure",
            include: [`test/**/*${ending}`],
            exclude: [inRuntime, endToEnd, silences, ...MEASURED, ...(long ? [] : ["test/**/*.long.test.ts"])],
            ...timeouts,
            ...seeded,
            isolate: false,
            // Most of them wait for processes that they have started.
            maxWorkers: workers,
          },
        },
        {
          plugins: [
            cloudflareTest(({ inject }) => ({
              wrangler: { configPath: wranglerConfigForTests() },
              miniflare: {
                bindings: {
                  MASTER_KEYS,
                  KEY_PEPPERS,
                  ADMIN_TOKEN,
                  SUI_LOCALNET_NODES: "http://chain.test/sui",
                  SUI_MAINNET_NODES: "http://chain.test/sui/first http://chain.test/sui/second",
                  APTOS_LOCALNET_NODES: "http://chain.test/aptos/v1",
                  APTOS_DEVNET_NODES: "http://chain.test/aptos/v1",
                },
                // Every outbound fetch, whatever its host, lands in the development chain: no test reaches the network.
                outboundService: "chain",
                workers: [miniflareWorker(inject("chain"), SHOWS_AT_ONCE)],
              },
            })),
          ],
          test: {
            name: "workerd",
            include: [inRuntime],
            ...timeouts,
            provide: { seed },
            globalSetup: ["./test/run/chain-setup.ts"],
            setupFiles: ["./test/run/seed.ts", "./test/run/workerd-setup.ts"],
            isolate: false,
            maxWorkers: workers,
          },
        },
        endToEndProject("e2e", { include: [endToEnd], exclude: ALONE, maxWorkers: SERVICES, groupOrder: 2 }),
        ...(long ? [measured, alone, silence] : []),
      ],
    },
  };
});
