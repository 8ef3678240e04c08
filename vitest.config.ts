import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification, type Vite } from "vitest/node";
import { miniflareWorker } from "./shared/cli/platform.ts";
import { randomSecrets } from "./shared/cli/secrets.ts";
import { SHOWS_AT_ONCE } from "./test/run/chain-delays.ts";
import { loadedModules } from "./test/run/loaded-modules.ts";
import { runtimePackages } from "./test/run/runtime-packages.ts";
import { ALONE, MEASURED, repeatedFiles } from "./test/run/suites.ts";
import { wranglerConfigForTests } from "./test/run/vitest-wrangler.ts";
import { besideFixtureSecrets } from "./test/storage/fixture-secrets.ts";

const secrets = randomSecrets();
const { MASTER_KEYS, KEY_PEPPERS } = besideFixtureSecrets(secrets);
const { ADMIN_TOKEN } = secrets;

// The plugin would warn that the secrets above are not in a file.
process.env.WRANGLER_LOG ??= "error";

/** The files that take longest, in the order in which they begin. */
const LONGEST = [
  "test/dashboard/dashboard.e2e.",
  "test/dashboard/dashboard.",
  "test/example/page.e2e.",
  "test/fund/sui/fund.workerd.long.",
  "test/fund/aptos/fund.workerd.long.",
  "test/fund/sui/engine/many.",
  "test/fund/sui/engine/long-listing.",
  "test/crypto/nonces.",
  "test/fund/sui/engine/hostile-kinds.",
  "test/service/wallets/refusals.workerd.",
  "test/byzantine-node/all-at-once.",
  "test/kills/retention-kill.",
  "test/devchain/property.long.",
  "test/chain/sui/mutated-replies.",
  "test/kills/wallet-kill.",
  "test/cli/move-project.",
  "test/cli/start.",
  "test/webhooks/self-hosted.",
  "test/kills/kill.",
  "test/kills/recover-kill.",
  "test/kills/migration-kill.",
  "test/kills/aptos-kill.",
  "test/workflow/seventh-workflow.",
  "test/client/package-install.",
  "test/truth/check-node.",
  "test/fund/sui/fund.long.",
  "test/fund/aptos/fund.long.",
  "test/drain/drain.e2e.",
  "test/service/sui-gas/expiry.",
  "test/drain/versions.",
  "test/security/security.e2e.",
  "test/workflow/create-wallet.",
  "test/workflow/deployments.",
  "test/workflow/rotated-key.",
  "test/stock-clients/clients.",
  "test/docs/pages.",
  "test/service/sui-gas/withdraw.",
  "test/service/sui-gas/address-balance.",
  "test/service/sui-gas/deadline.",
  "test/cli/move-assets.e2e.",
  "test/fund/sui/engine/idle.",
  "test/fund/sui/engine/given-up.",
  "test/fund/sui/engine/recycling.",
  "test/fund/sui/engine/stale-endpoint.",
  "test/devchain/property.",
];

/** Each takes seconds of CPU to start, but one alone would end long after the other parts of a suite. */
const RUNTIMES = 2;

/** Each runtime would get the map of each package over its socket, and no trace that anybody reads is of a package. */
const withoutSourceMaps: Vite.Plugin = {
  name: "packages-without-source-maps",
  enforce: "post",
  transform: (code, id) => (id.includes("/deps_ssr/") ? { code, map: { mappings: "" } } : null),
};

interface EndToEndFiles {
  readonly include: string[];
  readonly exclude: string[];
  readonly maxWorkers: number;
  readonly groupOrder: number;
}

/** By size and by how long they took, but what takes longest begins first, so that nobody waits for it alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONGEST.findIndex((part) => moduleId.includes(part));
      return index === -1 ? LONGEST.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig(({ mode }) => {
  // `npm run test:long` runs `*.long.test.ts` only; ordinary runs leave those out.
  const long = mode === "long";
  const ending = long ? ".long.test.ts" : ".test.ts";
  // The longest tests take over ten minutes on a slow machine beside all others, and a hook that builds and starts two
  // services over one minute. A run of twenty still names what hangs.
  const timeouts = long
    ? { testTimeout: 840_000, hookTimeout: 240_000 }
    : { testTimeout: 120_000, hookTimeout: 120_000 };
  const inRuntime = `test/**/*.workerd${ending}`;
  const endToEnd = `test/**/*.e2e${ending}`;
  const silences = "test/**/*.silence.long.test.ts";
  /** In the long suite most of them wait for processes that they have started. */
  const workers = long ? 3 : 2;
  /** Each end-to-end worker has a service and a chain. It mostly waits for that chain, or for an alarm. */
  const services = long ? 3 : 2;
  const { SEED = "20260101" } = process.env;
  const seed = SEED === "random" ? null : Number.parseInt(SEED, 10);
  // `npm run ci` runs both suites, and the long one leaves out what the other one has run.
  const provide = { seed, long, afterShort: long && process.env.AFTER_NPM_TEST === "1" };
  const seeded = { provide, setupFiles: ["./test/run/seed.ts"] };
  // Node removes the types itself, and keeps what it compiles. Vite would transform each file in each run.
  const native = {
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Node 22.12 needs the flag.
    execArgv: ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"],
  };
  // Files of which the long suite runs more rounds.
  const repeated = long ? repeatedFiles() : [];
  const isInRuntime = (name: string) => name.includes(".workerd.");
  const isEndToEnd = (name: string) => name.includes(".e2e.");

  const measured = {
    test: {
      name: "measured",
      include: MEASURED,
      ...timeouts,
      ...seeded,
      ...native,
      maxWorkers: 1,
      sequence: { groupOrder: 3 },
    },
  };
  /** Each worker has a service of its own, which a test may restart to move its clock. */
  const endToEndProject = (name: string, { include, exclude, maxWorkers, groupOrder }: EndToEndFiles) => ({
    test: {
      name,
      include,
      exclude,
      ...timeouts,
      ...native,
      provide,
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
      ...native,
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
            include: [`test/**/*${ending}`, ...repeated.filter((name) => !isInRuntime(name) && !isEndToEnd(name))],
            exclude: [inRuntime, endToEnd, silences, ...MEASURED, ...(long ? [] : ["test/**/*.long.test.ts"])],
            ...timeouts,
            ...seeded,
            ...native,
            isolate: false,
            maxWorkers: workers,
          },
        },
        {
          plugins: [
            withoutSourceMaps,
            loadedModules,
            cloudflareTest(({ inject }) => ({
              wrangler: { configPath: wranglerConfigForTests() },
              miniflare: {
                bindings: {
                  MASTER_KEYS,
                  KEY_PEPPERS,
                  ADMIN_TOKEN,
                  SUI_LOCALNET_NODES: "http://chain.test/sui",
                  SUI_MAINNET_NODES: "http://chain.test/sui/first http://other.test/sui/second",
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
            include: [inRuntime, ...repeated.filter(isInRuntime)],
            ...timeouts,
            provide,
            globalSetup: ["./test/run/chain-setup.ts"],
            setupFiles: ["./test/run/seed.ts", "./test/run/workerd-setup.ts"],
            isolate: false,
            maxWorkers: RUNTIMES,
            // Without it, each runtime loads hundreds of modules one by one.
            deps: { optimizer: { ssr: { enabled: true, include: [...runtimePackages()] } } },
          },
        },
        endToEndProject("e2e", {
          include: [endToEnd, ...repeated.filter(isEndToEnd)],
          exclude: ALONE,
          maxWorkers: services,
          groupOrder: 2,
        }),
        ...(long ? [measured, alone, silence] : []),
      ],
    },
  };
});
