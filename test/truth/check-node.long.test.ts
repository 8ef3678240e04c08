import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort, LOOPBACK } from "../../shared/cli/ports.ts";
import { root } from "../../shared/cli/root.ts";
import { startAptosChain } from "../devchain/aptos-testing.ts";

interface Ended {
  readonly code: number;
  readonly said: string;
}

/** Runs the command with these nodes, and with no others. */
function checkNode(nodes: Readonly<Record<string, string>>): Promise<Ended> {
  const env = { ...process.env, CHAIN_TRUTH_SUI: "", CHAIN_TRUTH_APTOS: "", ...nodes };
  const args = [join(root, "shared/cli/with-node.js"), join(root, "test/truth/check-node.ts")];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env, cwd: root }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, said: stdout + stderr }),
    );
  });
}

test("npm run check-node compares a node of each chain, and runs what needs no funds", async () => {
  const { url } = await startAptosChain();
  const { code, said } = await checkNode({ CHAIN_TRUTH_SUI: `${url}/sui`, CHAIN_TRUTH_APTOS: `${url}/aptos/v1` });
  expect(said).not.toMatch(/ {2}failed /);
  expect(said.match(/^ {2}ok .*$/gm)).toHaveLength(7);
  expect(said).toContain("  left out  deposits, sponsorships, fees, withdrawals and the books: a fund needs coins");
  expect(code).toBe(0);
});

test("npm run check-node says in one line which URL is missing, and fails for a node that does not answer", async () => {
  expect(await checkNode({})).toEqual({
    code: 0,
    said: "Sui: no node was asked. CHAIN_TRUTH_SUI is not set.\nAptos: no node was asked. CHAIN_TRUTH_APTOS is not set.\n",
  });
  const url = `http://${LOOPBACK}:${await freePort()}/key-of-a-provider`;
  const { code, said } = await checkNode({ CHAIN_TRUTH_SUI: url });
  expect(said).toContain("no answer: ECONNREFUSED");
  expect(said).toMatch(/ {2}failed {4}the service counts the node as healthy/);
  expect(said).not.toContain("key-of-a-provider");
  expect(code).toBe(1);
});
