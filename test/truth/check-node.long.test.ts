import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Account } from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { expect, test } from "vitest";
import { freePort, LOOPBACK } from "../../shared/cli/ports.ts";
import { root } from "../../shared/cli/root.ts";
import { startAptosChain } from "../devchain/aptos-testing.ts";
import type { Chain } from "../devchain/truth/listed-differences.ts";
import { purseOf, STAKES } from "./purse.ts";

interface Ended {
  readonly code: number;
  readonly said: string;
}

type Variables = Readonly<Record<string, string>>;

const NO_VARIABLES = Object.fromEntries(
  ["SUI", "APTOS", "SUI_KEY", "APTOS_KEY"].map((name) => [`CHAIN_TRUTH_${name}`, ""]),
);

/** Runs the command with these variables, and with no others of its own. The process is killed once it has said this. */
function checkNode(variables: Variables, args: readonly string[] = [], killedAfter?: RegExp): Promise<Ended> {
  const env = { ...process.env, ...NO_VARIABLES, ...variables };
  // Without the launcher of npm, which a kill would end alone.
  const command = ["--disable-warning=ExperimentalWarning", join(root, "test/truth/check-node.ts"), ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, { env, cwd: root }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, said: stdout + stderr }),
    );
    let said = "";
    child.stdout?.on("data", (text) => {
      said += text;
      if (killedAfter?.test(said)) child.kill("SIGKILL");
    });
  });
}

/** A development chain, as if it were somebody's node, and a funded key of each chain. */
async function startNode() {
  const { url, control } = await startAptosChain();
  const [sui, aptos] = [new Ed25519Keypair(), Account.generate()];
  const keys = { Sui: sui.getSecretKey(), Aptos: aptos.privateKey.toAIP80String() };
  const urls = { Sui: `${url}/sui`, Aptos: `${url}/aptos/v1` };
  const ownedAtoms = async (chain: Chain) => (await purseOf(chain, keys[chain], urls[chain])?.balance()) ?? 0n;
  const pay = (network: string, address: string, amount: bigint) =>
    control("POST", "/faucet", { network, address, amount: String(amount) });
  await pay("SUI_LOCALNET", sui.toSuiAddress(), 1_000_000_000n);
  await pay("APTOS_LOCALNET", aptos.accountAddress.toString(), 100_000_000n);
  return { urls, keys, ownedAtoms, control };
}

type Node = Awaited<ReturnType<typeof startNode>>;

const stateIn = (said: string) => / its state in (\S+)/.exec(said)?.[1] ?? "";

/** The story has told each step, spent little, told no key, and left nothing behind. */
async function expectToldWith(chain: Chain, variables: Variables, steps: number, node: Node): Promise<string> {
  const beforeAtoms = await node.ownedAtoms(chain);
  const { code, said } = await checkNode(variables);
  expect(said).not.toMatch(/ {2}failed /);
  expect(said.match(/^ {2}ok .*$/gm)).toHaveLength(steps);
  expect(code).toBe(0);
  expect(said).not.toContain(node.keys[chain].slice(-20));
  expect(existsSync(stateIn(said))).toBe(false);
  const spentAtoms = beforeAtoms - (await node.ownedAtoms(chain));
  expect(spentAtoms).toBeGreaterThan(0n);
  expect(spentAtoms).toBeLessThan(STAKES[chain].gasAtoms + STAKES[chain].leftAtoms);
  return said;
}

test("npm run check-node compares a node of each chain, runs what needs no funds, and with a key what a fund of Sui does", async () => {
  const node = await startNode();
  const variables = {
    CHAIN_TRUTH_SUI: node.urls.Sui,
    CHAIN_TRUTH_SUI_KEY: node.keys.Sui,
    CHAIN_TRUTH_APTOS: node.urls.Aptos,
  };
  const said = await expectToldWith("Sui", variables, 7 + 4, node);
  expect(said).toContain("withdrawals and the books: CHAIN_TRUTH_APTOS_KEY is not set");
});

test("with a key of Aptos it runs an embedded wallet whose fund pays, and gives back all but the gas", async () => {
  const node = await startNode();
  const variables = { CHAIN_TRUTH_APTOS: node.urls.Aptos, CHAIN_TRUTH_APTOS_KEY: node.keys.Aptos };
  await expectToldWith("Aptos", variables, 3 + 3, node);
});

test("a deposit whose answer was lost is found, and given back", async () => {
  const { urls, keys, ownedAtoms, control } = await startNode();
  const beforeAtoms = await ownedAtoms("Sui");
  const method = "TransactionExecutionService/ExecuteTransaction";
  await control("POST", "/control/fault", { method, mode: "drop_after_commit", times: 1 });
  const { code, said } = await checkNode({ CHAIN_TRUTH_SUI: urls.Sui, CHAIN_TRUTH_SUI_KEY: keys.Sui });
  expect(said).toMatch(/ {2}failed {4}the key's deposit arrives in a fund/);
  expect(said).toMatch(/ {2}ok {8}the rest is back/);
  expect(code).toBe(1);
  expect(await ownedAtoms("Sui")).toBeGreaterThan(beforeAtoms - STAKES.Sui.gasAtoms - STAKES.Sui.leftAtoms);
});

test("what a killed story has left in its fund is given back by its state directory, once the node answers", async () => {
  const { urls, keys, ownedAtoms } = await startNode();
  const variables = { CHAIN_TRUTH_SUI: urls.Sui, CHAIN_TRUTH_SUI_KEY: keys.Sui };
  const { said } = await checkNode(variables, [], / {2}ok {8}the key's deposit/);
  const state = stateIn(said);
  const withoutDeposit = await ownedAtoms("Sui");
  const dead = { CHAIN_TRUTH_SUI: `http://${LOOPBACK}:${await freePort()}` };
  const failed = await checkNode(dead, ["--give-back", state]);
  expect(failed).toMatchObject({
    code: 1,
    said: expect.stringContaining(`npm run check-node -- --give-back ${state}`),
  });
  expect(await checkNode(variables, ["--give-back", state])).toMatchObject({ code: 0 });
  expect(await ownedAtoms("Sui")).toBeGreaterThan(withoutDeposit + (STAKES.Sui.depositAtoms * 4n) / 5n);
  expect(existsSync(state)).toBe(false);
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
  const secret = { CHAIN_TRUTH_SUI: url, CHAIN_TRUTH_SUI_KEY: "suiprivkey1of-nobody" };
  expect(await checkNode(secret)).toEqual({ code: 1, said: expect.not.stringContaining("of-nobody") });
});
