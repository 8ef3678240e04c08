import { EnokiClient, EnokiClientError } from "@mysten/enoki";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { afterEach, beforeAll, describe, expect } from "vitest";
import * as z from "zod";
import { createKey, refreshPast } from "../../shared/cli/client/admin.ts";
import { faucet } from "../../shared/cli/client/faucet.ts";
import { createFundInProject } from "../../shared/cli/client/funds.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import {
  admin,
  chainUrl,
  giveSui,
  harness,
  keepSecret,
  newFund,
  newKey,
  serviceUrl,
  setServiceVars,
  sui,
  uniqueName,
  untilShown,
} from "../harness/harness.ts";
import { clearFaults, EXECUTE, orderFault, SIMULATE } from "../support/chain-control.ts";
import { patchFund, patchKey, revoke } from "../support/operator.ts";
import { longTest, shortTest } from "../support/rounds.ts";
import { incrementKind, mintKind, transferKind } from "../support/sui-transactions.ts";

/**
 * The stock client @mysten/enoki 1.0.8. Only its URL and its key are ours. It knows no local network, so the chain is
 * configured as devnet, whose identifier nobody knows.
 */
const MINT = `${DEMO_PACKAGE}::demo::mint`;
const COINS_MIST = 5_000_000_000n;
const user = new Ed25519Keypair();
const sender = user.toSuiAddress();
const friend = new Ed25519Keypair().toSuiAddress();
const stranger = new Ed25519Keypair().toSuiAddress();
const client = (apiKey: string) => new EnokiClient({ apiKey, apiUrl: `${serviceUrl}/enoki` });

interface Access {
  readonly fundId: string;
  readonly keyId: string;
  readonly key: string;
}

async function devnetFund(coinsMist = COINS_MIST): Promise<Access> {
  const fund = await createFundInProject(harness, uniqueName("enoki"), { network: "SUI_DEVNET" });
  if (coinsMist > 0n) {
    await untilShown((await faucet(chainUrl, fund.depositAddress, coinsMist)).digest);
    await refreshPast(harness, fund.fundId, 0n);
  }
  const made = { name: "enoki", network: "SUI_DEVNET", rights: ["gas"], fundId: fund.fundId };
  const { id, key } = await createKey(harness, fund.projectId, made);
  return { fundId: fund.fundId, keyId: id, key: keepSecret(key) };
}

let access: Access;
beforeAll(async () => {
  await setServiceVars({ SUI_DEVNET_NODES: `${chainUrl}/sui` });
  access = await devnetFund();
});

afterEach(clearFaults);

type Sponsored = Parameters<EnokiClient["createSponsoredTransaction"]>[0];

async function asked(fields: Partial<Sponsored> = {}): Promise<Sponsored> {
  return { network: "devnet", transactionKindBytes: toBase64(await mintKind()), sender, ...fields } as Sponsored;
}

async function signed({ bytes }: { readonly bytes: string }): Promise<string> {
  return (await user.signTransaction(fromBase64(bytes))).signature;
}

/** The error as an app reads it. */
async function errorOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof EnokiClientError)) throw new Error(`no error of the client: ${String(error)}`);
  const { status, code, errors, cause } = error;
  expect(cause).toMatchObject({ message: errors[0]?.message });
  return { status, code, message: errors[0]?.message ?? "", data: errors[0]?.data };
}

const refusalsSchema = z.object({ items: z.array(z.looseObject({ reason: z.string(), requestId: z.string() })) });

shortTest("a transaction is sponsored, signed and executed, within lists and without", async () => {
  const enoki = client(access.key);
  expect(await enoki.getApp()).toEqual({ allowedOrigins: [], authenticationProviders: [], domains: [] });
  for (const lists of [{}, { allowedAddresses: [friend], allowedMoveCallTargets: [MINT] }]) {
    const sponsored = await enoki.createSponsoredTransaction(await asked(lists));
    const input = { digest: sponsored.digest, signature: await signed(sponsored) };
    expect(await enoki.executeSponsoredTransaction(input)).toEqual({ digest: sponsored.digest });
    // A repeat sends nothing new, and answers the same.
    expect(await enoki.executeSponsoredTransaction(input)).toEqual({ digest: sponsored.digest });
    await untilShown(sponsored.digest);
    const { Transaction } = await sui.getTransaction({ digest: sponsored.digest, include: { transaction: true } });
    expect(Transaction).toMatchObject({ status: { success: true }, transaction: { sender } });
  }
});

shortTest("an object goes to a listed address, and to no other", async () => {
  const enoki = client(access.key);
  const { objectId } = await giveSui(sender, 1_000_000n);
  const { version, digest } = (await sui.getObject({ objectId })).object;
  const coin = { objectId, version, digest };
  const kind = async (to: string) => ({ transactionKindBytes: toBase64(await transferKind(coin, to)) });
  const refused = await errorOf(
    enoki.createSponsoredTransaction(await asked({ ...(await kind(stranger)), allowedAddresses: [friend] })),
  );
  expect(refused).toMatchObject({ status: 400, code: "policy_refused", data: { rule: "allowedAddresses" } });
  expect(refused.message).toContain(stranger);
  await enoki.createSponsoredTransaction(await asked({ ...(await kind(friend)), allowedAddresses: [friend] }));
});

longTest(
  "a repeat is the sponsorship of the first call, although the key's policy has been narrowed since",
  async () => {
    const { key, keyId } = await devnetFund();
    const transactionBlockKindBytes = toBase64(await mintKind());
    const body = JSON.stringify({ network: "devnet", sender, transactionBlockKindBytes, allowedAddresses: [friend] });
    const call = async (idempotencyKey: string) => {
      const headers = {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey,
      };
      const answer = await fetch(`${serviceUrl}/enoki/v1/transaction-blocks/sponsor`, {
        method: "POST",
        headers,
        body,
      });
      return { status: answer.status, answer: await answer.json() };
    };
    await patchKey(keyId, { policy: { moveTargets: { allow: [MINT] } } });
    const first = await call("order-1");
    expect(first).toMatchObject({ status: 200, answer: { data: { digest: expect.any(String) } } });
    // Without the policy's word for it, the called function may give the badge to anybody.
    await patchKey(keyId, { policy: { moveTargets: { allow: null } } });
    expect(await call("order-1")).toEqual(first);
    expect(await call("order-2")).toMatchObject({ status: 400, answer: { errors: [{ code: "policy_refused" }] } });
  },
);

longTest("a refusal by a call's own list is kept for the operator, with the request id of the answer", async () => {
  const { fundId, key } = await devnetFund(0n);
  const answer = await fetch(`${serviceUrl}/enoki/v1/transaction-blocks/sponsor`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "request-id": "of the client" },
    body: JSON.stringify({
      network: "devnet",
      sender,
      transactionBlockKindBytes: toBase64(await mintKind()),
      allowedMoveCallTargets: [],
    }),
  });
  expect(answer.status).toBe(400);
  const requestId = answer.headers.get("x-request-id");
  const kept = expectAnswer("refusals", await admin("GET", `/funds/${fundId}/refusals`), refusalsSchema).items;
  expect(kept).toMatchObject([{ reason: "policy_refused", rule: "allowedMoveCallTargets", requestId, sender }]);
});

describe("each documented error", () => {
  shortTest("of the key", async () => {
    const app = (key: string) => errorOf(client(key).getApp());
    expect(await app(`${access.key}x`)).toMatchObject({ status: 401, code: "bad_key" });
    expect(await app(access.key.replace(/^[^_]+/, "eu9"))).toMatchObject({ status: 401, code: "wrong_region" });
    const elsewhere = await newKey(await newFund([]), { rights: ["wallet"], fundId: null });
    expect(await app(elsewhere.key)).toMatchObject({ status: 403, code: "missing_right" });
    const limited = await devnetFund(0n);
    await patchKey(limited.keyId, { limits: { qps: 1, cups: 1_000 } });
    const answers = await Promise.all(Array.from({ length: 8 }, () => app(limited.key).catch(() => null)));
    expect(answers).toContainEqual(expect.objectContaining({ status: 429, code: "rate_limited" }));
  });

  shortTest("of the network, which is mainnet if the call names none", async () => {
    const enoki = client(access.key);
    const { network: _, ...without } = await asked();
    for (const input of [without as Sponsored, await asked({ network: "testnet" })])
      expect(await errorOf(enoki.createSponsoredTransaction(input))).toMatchObject({
        status: 403,
        code: "wrong_network",
        message: expect.stringContaining("SUI_DEVNET"),
      });
  });

  longTest("of what is not served", async () => {
    const enoki = client(access.key);
    const { sender: _, ...noSender } = await asked();
    const notSupported = { status: 400, code: "not_supported" };
    expect(await errorOf(enoki.createSponsoredTransaction(noSender as Sponsored))).toMatchObject(notSupported);
    const withJwt = { ...(await asked()), jwt: "token" } as Sponsored;
    expect(await errorOf(enoki.createSponsoredTransaction(withJwt))).toMatchObject(notSupported);
    const calls = [
      () => enoki.getZkLogin({ jwt: "token" }),
      () => enoki.createZkLoginNonce({ network: "devnet", ephemeralPublicKey: user.getPublicKey() }),
      () => enoki.getSubnames({ address: sender }),
    ];
    for (const call of calls)
      expect(await errorOf(call())).toMatchObject({ ...notSupported, message: expect.stringContaining("not served") });
  });

  shortTest("of the transaction", async () => {
    const enoki = client(access.key);
    const refused = async (fields: Partial<Sponsored>) =>
      errorOf(enoki.createSponsoredTransaction(await asked(fields)));
    expect(await refused({ transactionKindBytes: "AA==" })).toMatchObject({
      status: 400,
      code: "unsupported_transaction",
    });
    expect(await refused({ sender: "0xnothing" })).toMatchObject({ status: 400, code: "bad_params" });
    expect(await refused({ allowedAddresses: ["0xnothing"] })).toMatchObject({
      status: 400,
      code: "bad_params",
      message: expect.stringContaining("allowedAddresses.0"),
    });
    expect(await refused({ transactionKindBytes: toBase64(await incrementKind(0n)) })).toMatchObject({
      status: 400,
      code: "dry_run_failed",
    });
  });

  shortTest("of the policy, the pause and the balance", async () => {
    const { fundId, keyId, key } = await devnetFund();
    const refused = async () =>
      errorOf(client(key).createSponsoredTransaction(await asked({ allowedMoveCallTargets: [MINT] })));
    await patchKey(keyId, { policy: { moveTargets: { allow: [`${DEMO_PACKAGE}::other::*`] } } });
    // The call's own list names the function, and widens nothing.
    expect(await refused()).toMatchObject({ status: 400, code: "policy_refused", data: { rule: "moveTargets" } });
    await patchKey(keyId, { policy: { moveTargets: { allow: null } } });
    await patchFund(fundId, { paused: true });
    expect(await refused()).toMatchObject({ status: 403, code: "fund_paused" });
    const empty = await devnetFund(0n);
    expect(await errorOf(client(empty.key).createSponsoredTransaction(await asked()))).toMatchObject({
      status: 503,
      code: "balance_too_low",
    });
  });

  longTest("of an execution", async () => {
    const enoki = client(access.key);
    const sponsored = await enoki.createSponsoredTransaction(await asked());
    const { digest } = sponsored;
    const other = await signed(await enoki.createSponsoredTransaction(await asked()));
    const refused = (input: { digest: string; signature: string }) => errorOf(enoki.executeSponsoredTransaction(input));
    expect(await refused({ digest, signature: other })).toMatchObject({ status: 400, code: "bad_signature" });
    const elsewhere = client((await devnetFund(0n)).key);
    const input = { digest, signature: await signed(sponsored) };
    expect(await errorOf(elsewhere.executeSponsoredTransaction(input))).toMatchObject({
      status: 404,
      code: "unknown_sponsorship",
    });
    expect(await refused({ ...input, digest: "nothing" })).toMatchObject({ status: 400, code: "bad_params" });
  });

  shortTest("of a node that refuses the transaction: nothing was executed", async () => {
    const enoki = client(access.key);
    const { objectId } = await giveSui(sender, 1_000_000_000n);
    const { version, digest } = (await sui.getObject({ objectId })).object;
    const coin = { objectId, version, digest };
    const sponsored = await enoki.createSponsoredTransaction(
      await asked({ transactionKindBytes: toBase64(await transferKind(coin, friend)) }),
    );
    // The user spends the coin elsewhere, so the version that both have signed for is gone.
    const meanwhile = new Transaction();
    meanwhile.setGasPayment([coin]);
    meanwhile.transferObjects([meanwhile.splitCoins(meanwhile.gas, [1])], friend);
    await user.signAndExecuteTransaction({ transaction: meanwhile, client: sui });
    const input = { digest: sponsored.digest, signature: await signed(sponsored) };
    expect(await errorOf(enoki.executeSponsoredTransaction(input))).toMatchObject({
      status: 422,
      code: "node_refused",
      message: expect.stringContaining(objectId),
      data: { digest: sponsored.digest },
    });
  });

  longTest(
    "of a node that does not answer: before the signature nothing was sent, after it the digest is named",
    async () => {
      const enoki = client(access.key);
      const sponsored = await enoki.createSponsoredTransaction(await asked());
      await orderFault(SIMULATE, "unavailable", 1_000);
      expect(await errorOf(enoki.createSponsoredTransaction(await asked()))).toMatchObject({
        status: 503,
        code: "node_unavailable",
      });
      await orderFault(EXECUTE, "unavailable_before_commit", 1_000);
      const input = { digest: sponsored.digest, signature: await signed(sponsored) };
      expect(await errorOf(enoki.executeSponsoredTransaction(input))).toMatchObject({
        status: 504,
        code: "outcome_unknown",
        data: { digest: sponsored.digest },
      });
      await clearFaults();
      // The repeat sends the same bytes.
      expect(await enoki.executeSponsoredTransaction(input)).toEqual({ digest: sponsored.digest });
    },
  );

  longTest("of coins that are all lent, and of a sponsorship that is over", async () => {
    const { key, keyId } = await devnetFund(20_000_000n);
    const enoki = client(key);
    const sponsored = await enoki.createSponsoredTransaction(await asked());
    expect(await errorOf(enoki.createSponsoredTransaction(await asked()))).toMatchObject({
      status: 503,
      code: "no_gas_object",
    });
    await revoke("keys", keyId);
    await patchKey(keyId, { status: "active" });
    const input = { digest: sponsored.digest, signature: await signed(sponsored) };
    expect(await errorOf(enoki.executeSponsoredTransaction(input))).toMatchObject({
      status: 410,
      code: "sponsorship_expired",
    });
  });
});
