import { createHash } from "node:crypto";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { expect, test } from "vitest";
import { faucet } from "../../../../shared/cli/client/faucet.ts";
import { untilShown } from "../../../../shared/cli/client/shown.ts";
import { chainUrl, harness, uniqueName } from "../../../harness/harness.ts";
import { configHome, run } from "../../../support/command-line.ts";

const ONE_SUI_MIST = 1_000_000_000n;

/** Runs a command at the service of this worker, and returns its JSON. */
async function json(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { exit, out, err } = await run([...args, "--json"], { env });
  expect([args, exit, err]).toEqual([args, "ok", err]);
  return JSON.parse(out);
}

test("an operator goes from an empty project to a withdrawal, and sees all of it on the command line", async () => {
  const { serviceUrl: GASWORKS_URL, adminToken: GASWORKS_TOKEN } = harness;
  const env = { GASWORKS_URL, GASWORKS_TOKEN, XDG_CONFIG_HOME: await configHome() };
  const { id: project } = await json(["project", "create", "--name", uniqueName("project")], env);
  const made = ["fund", "create", project, "--name", "gas", "--network", "SUI_LOCALNET"];
  const { id: fund, depositAddress } = await json(made, env);
  const { digest } = await faucet(chainUrl, depositAddress, ONE_SUI_MIST);
  await untilShown(chainUrl, digest);
  await json(["fund", "refresh", fund], env);

  const key = await json(
    ["key", "create", project, "--name", "app", "--network", "SUI_LOCALNET", "--rights", "gas", "--fund-id", fund],
    env,
  );
  expect(key.key).toMatch(/^us1_/);
  const listed = await run(["fund", "list", project], { env });
  expect(listed.out).toMatch(new RegExp(`${fund} +gas +SUI_LOCALNET +[0-9.]+ SUI`));

  const to = Ed25519Keypair.fromSecretKey(createHash("sha256").update(fund).digest()).toSuiAddress();
  const pay = ["fund", "withdraw", fund, "--to", to, "--amount", "1000000", "--idempotency-key", fund, "--yes"];
  const paid = await json(pay, env);
  expect((await json(pay, env)).digest).toBe(paid.digest);
  expect((await run(["fund", "reconcile", fund], { env })).code).toBeOneOf([0, 9]);
  const explained = await run(["explain", paid.digest, "--fund", fund], { env });
  expect([explained.code, explained.out]).toEqual([0, expect.stringContaining("a transaction of the fund itself")]);

  const rows = (await run(["audit", "list", project, "--ndjson"], { env })).out.trim().split("\n");
  expect(rows.length).toBeGreaterThanOrEqual(3);
  expect((await run(["audit", "verify", project], { env })).code).toBe(0);
  expect((await run(["fund", "show", `fund_${"0".repeat(20)}`], { env })).code).toBe(4);
  expect((await run(["key", "disable", key.id, "--yes"], { env })).out).toMatch(/status +disabled/);
});
