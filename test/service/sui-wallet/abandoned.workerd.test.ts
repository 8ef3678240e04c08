import { env } from "cloudflare:workers";
import { toBase64 } from "@mysten/sui/utils";
import { afterEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { refuse } from "../../../shared/errors.ts";
import { Wallet } from "../../../shared/wallet/object.ts";
import { give } from "../../support/sui-chain.ts";
import { mintKind } from "../../support/sui-transactions.ts";
import { admin, call, newProject, newSession, refusal } from "../../support/wallets.ts";

const BUDGET = "5000000";
const COIN_MIST = 20_000_000n;
const METHOD = "svc_wal_executeGaslessTransaction";

async function newApp() {
  const projectId = await newProject();
  const network = "SUI_LOCALNET";
  const made = z.object({ id: z.string(), depositAddress: z.string() });
  const fund = made.parse(await admin("POST", `/projects/${projectId}/funds`, { name: "app", network }));
  await give(fund.depositAddress, COIN_MIST);
  await admin("POST", `/funds/${fund.id}/refresh`);
  const fields = { name: "app", network, rights: ["wallet", "gas"], fundId: fund.id };
  const { key } = z.object({ key: z.string() }).parse(await admin("POST", `/projects/${projectId}/keys`, fields));
  const token = await newSession(key);
  await call(key, "svc_wal_createWallet", ["user-1", token]);
  const inFlight = async () =>
    z.object({ inFlight: z.string() }).parse(await admin("GET", `/funds/${fund.id}`)).inFlight;
  const execute = async (idempotencyKey: string) =>
    call(key, METHOD, ["user-1", token, toBase64(await mintKind()), BUDGET], { idempotencyKey });
  return { fund, inFlight, execute };
}

/** The wallet opens, and then does not sign, once: nothing that a caller sends can bring that about. */
function failSigning(fail: Wallet["sign"]): void {
  vi.spyOn(Wallet.prototype, "sign").mockImplementationOnce(fail);
}
afterEach(() => vi.restoreAllMocks());

test("what is refused or fails after the fund has promised holds nothing, and its Idempotency-Key can be used again", async () => {
  const { fund, inFlight, execute } = await newApp();
  failSigning(async () =>
    refuse("rate_limited", "too many wrong secrets for this wallet: repeat later, with the right one"),
  );
  expect(await execute("attempt")).toMatchObject(refusal(-32010, "rate_limited"));
  expect(await inFlight()).toBe("0");
  failSigning(async () => {
    throw new Error("a fault of the wallet's");
  });
  expect(await execute("attempt")).toMatchObject(refusal(-32603, "internal"));
  expect(await inFlight()).toBe("0");

  const digest = z.object({ digest: z.string() });
  const executed = digest.parse(await execute("attempt"));
  expect(digest.parse(await execute("attempt"))).toEqual(executed);
  expect(await inFlight()).toBe("0");
  const rows = z.object({ items: z.array(z.object({ state: z.string() })) });
  const { items } = rows.parse(await admin("GET", `/funds/${fund.id}/sponsorships`));
  expect(items.map(({ state }) => state)).toContain("complete");
});

test("what the fund has signed is not given up: only the chain says what became of it", async () => {
  const { fund, execute, inFlight } = await newApp();
  const { digest } = z.object({ digest: z.string() }).parse(await execute("attempt"));
  await env.FUND.getByName(fund.id).abandon(digest, null);
  expect(await env.FUND.getByName(fund.id).status(digest)).toEqual({ ok: true, value: "COMPLETE" });
  expect(await inFlight()).toBe("0");
});
