import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { root } from "../../shared/cli/root.ts";
import { freePorts, type Ports, type Script, untilEnded, untilGone, withScript } from "../harness/launcher.ts";

let ports: Ports;
let temporary: string;
beforeAll(async () => {
  ports = await freePorts();
  temporary = await mkdtemp(join(tmpdir(), "gasworks-demo-test-"));
});
afterAll(() => rm(temporary, { recursive: true }));

// In this very checkout: where nothing runs at its ports, the demo touches neither .gasworks nor .dev.vars.
function withDemo<T>(use: (script: Script) => Promise<T>): Promise<T> {
  return withScript(["run", "demo"], { cwd: root, env: { ...ports, TMPDIR: temporary } }, use);
}

describe.sequential("npm run demo", () => {
  test("tells the whole story on a service of its own, and leaves no process, no port and no state", async () => {
    await withDemo(async (script) => {
      expect(await untilEnded(script), script.output()).toBe(0);
      await untilGone(script, ports);
      const lines = script.output();
      for (const line of [
        /balance +9\.\d+ SUI: it paid its own gas for splitting/,
        /executed +by the stock SuiGrpcClient, with both signatures: success/,
        /status +COMPLETE\n +fund paid +0\.\d+ SUI/,
        /user alone +refused by the chain: .*signature/,
        /executed +by the service, which added the fund's signature: success/,
        /sponsor +the policy allows a badge/,
        /executed +the user has signed: success/,
        /refused +0x2::coin::zero: 403 policy_refused/,
        /later +after ten minutes \(the clocks were moved\) INVALID, 0 SUI held, nothing paid/,
        /gas coin +-32602 gas_coin_used/,
        /limit +-32602 policy_refused: maxGasBudget: /,
        /disabled +-32001 bad_key/,
        /earned +0\.001 SUI/,
        /repeated +with the same Idempotency-Key: the same digest, paid once/,
        /balance +9\.\d+ SUI = before − charges, 0 SUI in flight/,
        /on chain +9\.\d+ SUI, counted by the stock client\n +reconciled +exact: \d+ coins, each as the chain has it\n\nEverything was as it must be\./,
      ])
        expect(lines).toMatch(line);
    });
    expect((await readdir(temporary)).filter((name) => name.startsWith("gasworks-"))).toEqual([]);
  });

  test("is not told against something else that listens at the service's port", async () => {
    const other = createServer((_, response) => response.end('{"status":"ok"}'));
    await new Promise<void>((resolve) => other.listen(Number(ports.PORT), LOOPBACK, resolve));
    try {
      await withDemo(async (script) => {
        expect(await untilEnded(script)).toBe(1);
        expect(script.output()).toContain(`127.0.0.1:${ports.PORT} is not the service that npm start runs here`);
        expect(script.output()).not.toContain("    at ");
      });
    } finally {
      other.close();
    }
  });
});
