import { execFile } from "node:child_process";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort, LOOPBACK } from "../../shared/cli/ports.ts";
import {
  type Checkout,
  found,
  freePorts,
  makeCheckout,
  type Ports,
  type Script,
  untilEnded,
  untilGone,
  untilRunning,
  withScript,
} from "../harness/launcher.ts";

let checkout: Checkout;
let ports: Ports;

beforeAll(async () => {
  checkout = await makeCheckout();
  ports = await freePorts();
});
afterAll(() => checkout.remove());

function withNpm<T>(args: readonly string[], use: (script: Script) => Promise<T>): Promise<T> {
  return withScript(args, { cwd: checkout.path, env: ports }, use);
}
const withStart = <T>(use: (script: Script) => Promise<T>) => withNpm(["start"], use);
const withTestnetStart = <T>(use: (script: Script) => Promise<T>) => withNpm(["start", "--", "--testnet"], use);

/** The answer to the command line that a start printed. */
async function answerToPrintedCurl(output: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)("bash", ["-c", found(/^(curl .*)$/m, output)]);
  return JSON.parse(stdout);
}

describe.sequential("npm start", () => {
  let fundId: string;
  let key: string;

  test("a first start runs the main job on its own, and Ctrl-C leaves nothing behind", () =>
    withStart(async (script) => {
      const output = await untilRunning(script);
      expect(output).toMatch(/digest +[1-9A-HJ-NP-Za-km-z]{43,44}\n/);
      expect(output).toMatch(/status +COMPLETE\n/);
      expect(output).toMatch(/fund paid +0\.[0-9]+ SUI \([0-9]+ MIST\)\n/);
      const [heldBefore, spentOnSplitting] = [
        found(/balance +([0-9.]+) SUI →/, output),
        found(/the other ([0-9.]+) SUI of the deposit paid for splitting it/, output),
      ];
      expect(Number(heldBefore) + Number(spentOnSplitting), "all of the deposit is told of").toBeCloseTo(10, 8);
      fundId = found(/(fund_[0-9a-f]{20})/, output);
      key = found(/access key +(us1_\S+)/, output);
      const example = await fetch(found(/example +(http\S+)/, output));
      expect(await example.text()).toContain("Mint without gas");
      process.kill(-script.group, "SIGINT");
      await untilGone(script, ports);
    }));

  test("a second start keeps the state, its printed command works, and ending npm alone ends everything", () =>
    withStart(async (script) => {
      const output = await untilRunning(script);
      expect(output).toContain(`${fundId} and access key from the last start`);
      expect(found(/access key +(us1_\S+)/, output)).toBe(key);
      const answer = { id: 1, result: { network: "SUI_LOCALNET", inFlight: 0 } };
      expect(await answerToPrintedCurl(output)).toMatchObject(answer);
      await demoOnRunning();
      expect(await answerToPrintedCurl(output)).toMatchObject(answer);
      script.npm.kill("SIGTERM");
      await untilGone(script, ports);
    }));

  /** The demo uses the service that runs, and leaves it running. */
  async function demoOnRunning(): Promise<void> {
    await withNpm(["run", "demo"], async (demo) => {
      expect(await untilEnded(demo), demo.output()).toBe(0);
      expect(demo.output()).toMatch(/running +service \S+, chain \S+: the ones that npm start runs/);
      expect(demo.output()).toMatch(/balance +9\.[0-9]+ SUI = before − charges, 0\.[0-9]+ SUI in flight/);
    });
  }

  test("--testnet without a node starts, shows where to deposit, says what is wrong, keeps running, keeps its fund", async () => {
    const nobody = `${LOOPBACK}:${await freePort()}`;
    await appendFile(join(checkout.path, ".dev.vars"), `SUI_TESTNET_NODES="http://${nobody}"\n`);
    const address = await withTestnetStart(async (script) => {
      const output = await untilRunning(script);
      expect(output).toMatch(new RegExp(`node +${nobody}\n +cannot be reached now: no Sui node answered`));
      expect(output).not.toContain("    at ");
      const answer = await answerToPrintedCurl(output);
      expect(answer).toMatchObject({ result: { network: "SUI_TESTNET", balance: 0 } });
      const depositAddress = found(/Send testnet SUI to (0x[0-9a-f]{64})/, output);
      expect(answer).toMatchObject({ result: { depositAddress } });
      expect(script.npm.exitCode).toBeNull();
      process.kill(-script.group, "SIGINT");
      await untilGone(script, ports);
      return depositAddress;
    });
    await withTestnetStart(async (script) => {
      expect(await untilRunning(script)).toContain(`Send testnet SUI to ${address}`);
    });
  });

  test("an option that it does not know is refused with the usage, and --help prints it", async () => {
    await withNpm(["start", "--", "--mainnet"], async (script) => {
      expect(await untilEnded(script)).toBe(2);
      expect(script.output()).toContain("--mainnet");
      expect(script.output()).toContain("Usage: npm start");
      expect(script.output()).not.toContain("    at ");
    });
    await withNpm(["start", "--", "--help"], async (script) => {
      expect(await untilEnded(script)).toBe(0);
      expect(script.output()).toContain("Usage: npm start");
    });
  });

  test("a port in use is named, with the variable that chooses another", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(ports.CHAIN_PORT), LOOPBACK, resolve));
    try {
      await withStart(async (script) => {
        expect(await untilEnded(script)).toBe(1);
        expect(script.output()).toContain(`Port ${ports.CHAIN_PORT}, for the development chain, is in use`);
        expect(script.output()).toContain("CHAIN_PORT=");
        expect(script.output()).not.toContain("    at ");
      });
    } finally {
      other.close();
    }
  });

  test.each([["start"], ["run self-host"], ["run deploy -- --dry-run"]])(
    "a policy that cannot mean what it says ends npm %s, with its line",
    async (command) => {
      const path = join(checkout.path, "functions/policy.ts");
      const shipped = await readFile(path, "utf8");
      await writeFile(path, shipped.replace(/"0xdec0de0+1::/, '"0x<your package>::'));
      try {
        await withNpm(command.split(" "), async (script) => {
          expect(await untilEnded(script)).toBe(1);
          expect(script.output()).toMatch(/functions\/policy\.ts:[0-9]+: allowMoveCalls: .+ is a placeholder/);
        });
      } finally {
        await writeFile(path, shipped);
      }
    },
  );

  test("a variable that cannot be meant ends the start in one line, which names it and the fix", async () => {
    const path = join(checkout.path, ".dev.vars");
    const before = await readFile(path, "utf8");
    await appendFile(path, 'WITHDRAW_ADDRESSES="nobody"\n');
    await withStart(async (script) => {
      expect(await untilEnded(script)).toBe(1);
      expect(script.output()).toMatch(/^\.dev\.vars or wrangler\.toml: WITHDRAW_ADDRESSES must be at most .+$/m);
      expect(script.output()).not.toMatch(/answered 503|^ +at /m);
    });
    await writeFile(path, before);
  });

  test("state that was made with other secrets is refused, not half opened", async () => {
    await rm(join(checkout.path, ".dev.vars"));
    await withStart(async (script) => {
      expect(await untilEnded(script)).toBe(1);
      expect(script.output()).toContain("was made with other secrets");
    });
  });

  test("a source that does not bundle ends the start with the bundler's own words", async () => {
    await rm(join(checkout.path, ".gasworks"), { recursive: true });
    await writeFile(join(checkout.path, "functions/broken.ts"), "export const = 1;");
    await writeFile(
      join(checkout.path, "functions/index.ts"),
      'export { broken } from "./broken.ts";\nexport default {};\n',
    );
    await withStart(async (script) => {
      expect(await untilEnded(script)).toBe(1);
      expect(script.output()).toContain("functions/broken.ts");
      expect(script.output()).not.toContain("build.ts:");
    });
  });
});
