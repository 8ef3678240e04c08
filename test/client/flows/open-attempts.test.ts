import { Account } from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import { flowsOver } from "../../../shared/client/flows/create.ts";
import { aptosAccount, type SignedTransaction } from "../../../shared/client/flows/index.ts";
import { addPayload, aptosAnswer, honestFields, rawBytes, sdk, unhex } from "./aptos-stage.ts";
import {
  answerOf,
  EXPIRES_AT_MS,
  executions,
  gasData,
  honest,
  json,
  memoryStorage,
  mintTransaction,
  page,
  refusal,
  type Service,
  type Stage,
  sponsoredBytes,
  sponsorings,
  stage,
} from "./stage.ts";

/** The end of what the user has signed: a service that refuses it may have it executed all the same. */

const FINAL = [
  "transaction_failed",
  "sponsorship_expired",
  "unknown_sponsorship",
  "idempotency_conflict",
  "policy_refused",
  "bad_request",
];
const DIGEST = "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S";

/** A service that pays with another coin each time, and refuses every execution until `tired`. */
function lying(code: string) {
  let isLying = true;
  let coins = 0;
  const service: Service = (seen, calls) => {
    if (seen.path === "/flows/execute-sponsored") return isLying ? refusal(422, code) : honest(seen, calls);
    coins += 1;
    const payment = [{ objectId: `0x${coins.toString(16).padStart(64, "0")}`, version: "7", digest: DIGEST }];
    const { transactionKind = "", sender = "" } = seen.body;
    return json(answerOf(sponsoredBytes(fromBase64(transactionKind), sender, { gasData: gasData({ payment }) })));
  };
  const tired = () => {
    isLying = false;
  };
  return { service, tired };
}

const transactions = ({ calls }: Stage) =>
  new Set(executions(calls).map(({ key, body }) => `${key} ${body.txBytes ?? body.rawTransaction} ${body.signature}`))
    .size;

test.each(FINAL)("%s brings no second signature while the chain may execute the first", async (code) => {
  const liar = lying(code);
  const on = stage(liar.service);
  const { flows, signer, signed } = page(on);
  for (let call = 0; call < 3; call++)
    expect(await flows.sponsorAndExecute(mintTransaction(), signer, { epoch: 3n })).toMatchObject({
      ok: false,
      error: { code, isOpen: true, mayHaveExecuted: true, action: { kind: "wait", waitMs: 60_000 } },
    });
  liar.tired();
  expect(await flows.sponsorAndExecute(mintTransaction(), signer)).toMatchObject({
    ok: true,
    value: { isRepeat: true },
  });
  expect([signed.length, sponsorings(on.calls).length, transactions(on)]).toEqual([1, 1, 1]);
});

test("without an epoch, and without a node of the app, a refused transaction stays open for days", async () => {
  const storage = memoryStorage();
  const keypair = new Ed25519Keypair();
  const on = stage(lying("sponsorship_expired").service, storage);
  for (const day of [0, 1, 30]) {
    const later = { ...on, ports: { ...on.ports, nowMs: () => 1_800_000_000_000 + day * 86_400_000 } };
    const { flows, signer } = page(later, keypair);
    expect(await flows.sponsorAndExecute(mintTransaction(), signer)).toMatchObject({
      ok: false,
      error: { code: "sponsorship_expired", isOpen: true },
    });
  }
  expect([sponsorings(on.calls).length, transactions(on)]).toEqual([1, 1]);
});

/** A page whose app asks its own node. */
function asking(on: Stage, isOver: (signed: SignedTransaction) => boolean | Promise<boolean>) {
  const { signer, signed, keypair } = page(on);
  const flows = flowsOver(on.ports, { sui: { network: "localnet", isOver } });
  return { call: () => flows.sponsorAndExecute(mintTransaction(), signer), signed, keypair };
}

test("a node of the app ends a refused transaction, by the bytes that the user has signed", async () => {
  let isOver = false;
  const seen: SignedTransaction[] = [];
  const on = stage(lying("transaction_failed").service);
  const { call, signed } = asking(on, async (transaction) => {
    seen.push(transaction);
    return isOver;
  });
  expect(await call()).toMatchObject({ ok: false, error: { isOpen: true } });
  isOver = true;
  expect(await call()).toMatchObject({ ok: false, error: { isOpen: false, mayHaveExecuted: true } });
  expect(seen).toEqual([
    seen[0],
    { bytes: signed[0], id: answerOf(signed[0] ?? new Uint8Array()).txDigest, until: 3n },
  ]);
  await call();
  expect([signed.length, transactions(on)]).toEqual([2, 2]);
});

test.each<[string, () => boolean | Promise<boolean>]>([
  [
    "throws",
    () => {
      throw new Error("down");
    },
  ],
  ["rejects", () => Promise.reject(new Error("down"))],
  ["answers something else", () => JSON.parse('"yes"')],
])("a node of the app that %s ends nothing", async (_, isOver) => {
  const on = stage(lying("sponsorship_expired").service);
  const { call, signed } = asking(on, isOver);
  expect(await call()).toMatchObject({ ok: false, error: { code: "sponsorship_expired", isOpen: true } });
  expect(await call()).toMatchObject({ ok: false, error: { code: "sponsorship_expired", isOpen: true } });
  expect(signed).toHaveLength(1);
});

test("a node of the app that never answers ends nothing, and an abort ends the call", async () => {
  const on = stage(lying("sponsorship_expired").service);
  const asked = Promise.withResolvers<void>();
  const flows = flowsOver(on.ports, {
    sui: {
      network: "localnet",
      isOver: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    },
  });
  const leaving = new AbortController();
  const left = flows.sponsorAndExecute(mintTransaction(), page(on).signer, { signal: leaving.signal });
  await asked.promise;
  leaving.abort();
  expect(await left).toMatchObject({ ok: false, error: { code: "sponsorship_expired", isOpen: true } });
});

test("what the service does not refuse stays open, also after the last epoch", async () => {
  const on = stage((seen, calls) =>
    seen.path === "/flows/sponsor" ? honest(seen, calls) : refusal(504, "outcome_unknown", { retryable: true }),
  );
  const { flows, signer } = page(on);
  await flows.sponsorAndExecute(mintTransaction(), signer, { epoch: 3n });
  expect(await flows.sponsorAndExecute(mintTransaction(), signer, { epoch: 9n })).toMatchObject({
    ok: false,
    error: { code: "outcome_unknown", isOpen: true },
  });
});

test("on Aptos a refused transaction is over an hour after its expiration, by the user's clock", async () => {
  const account = Account.generate();
  const on = stage(({ path, body }) => {
    if (path !== "/flows/sponsor") return refusal(404, "sponsorship_expired");
    return json(aptosAnswer(rawBytes(unhex(body.payloadBytes), honestFields(account.accountAddress.toStringLong()))));
  });
  const call = (nowMs: number) => {
    const { flows } = page({ ...on, ports: { ...on.ports, nowMs: () => nowMs } });
    return flows.sponsorAndExecute(addPayload(), aptosAccount(account, sdk));
  };
  const overMs = EXPIRES_AT_MS + 3_600_000;
  expect(await call(EXPIRES_AT_MS - 600_000)).toMatchObject({ ok: false, error: { isOpen: true } });
  expect(await call(overMs)).toMatchObject({ ok: false, error: { isOpen: true } });
  expect(await call(overMs + 1)).toMatchObject({ ok: false, error: { isOpen: false, mayHaveExecuted: true } });
  expect([sponsorings(on.calls).length, transactions(on)]).toEqual([1, 1]);
});
