import { Account } from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { fromBase64 } from "@mysten/sui/utils";
import { expect, test } from "vitest";
import { flowsOver } from "../../../shared/client/flows/create.ts";
import { aptosAccount } from "../../../shared/client/flows/index.ts";
import { mintKind } from "../../support/sui-transactions.ts";
import { addPayload, aptosAnswer, honestFields, rawBytes, sdk, unhex } from "./aptos-stage.ts";
import {
  answerOf,
  executions,
  FUND,
  gasData,
  honest,
  json,
  memoryStorage,
  mintTransaction,
  page,
  type Seen,
  type Service,
  sponsoredBytes,
  stage,
} from "./stage.ts";

const otherKind = await mintKind("another badge");
const THEFT: Readonly<Record<string, (kind: Uint8Array, sender: string) => object>> = {
  "another transaction": (_, sender) => answerOf(sponsoredBytes(otherKind, sender)),
  "another sender": (kind) =>
    answerOf(sponsoredBytes(kind, FUND, { gasData: gasData({ owner: `0x${"a".repeat(64)}` }) })),
  "the sender as payer": (kind, sender) =>
    answerOf(sponsoredBytes(kind, sender, { gasData: gasData({ owner: sender }) })),
  "a larger budget": (kind, sender) =>
    answerOf(sponsoredBytes(kind, sender, { gasData: gasData({ budget: "500000001" }) })),
  "another network": (kind, sender) => answerOf(sponsoredBytes(kind, sender), { network: "SUI_MAINNET" }),
  "another digest": (kind, sender) =>
    answerOf(sponsoredBytes(kind, sender), { txDigest: answerOf(sponsoredBytes(otherKind, sender)).txDigest }),
  "bytes that are left over": (kind, sender) => answerOf(Uint8Array.of(...sponsoredBytes(kind, sender), 0)),
};

test.each(Object.entries(THEFT))("on Sui the user signs nothing for %s", async (_, steal) => {
  const on = stage(({ body }) => json(steal(fromBase64(body.transactionKind ?? ""), body.sender ?? "")));
  const { flows, signer, signed } = page(on);
  const result = await flows.sponsorAndExecute(mintTransaction(), signer);
  expect(result).toMatchObject({
    ok: false,
    error: { code: "not_what_was_asked", action: { kind: "contact" }, mayHaveExecuted: false },
  });
  expect(signed).toEqual([]);
  expect(executions(on.calls)).toEqual([]);
});

test("on Sui the user signs nothing for a digest that was used before", async () => {
  const [storage, keypair] = [memoryStorage(), new Ed25519Keypair()];
  const first = page(stage(honest, storage), keypair);
  expect(await first.flows.sponsorAndExecute(mintTransaction(), first.signer)).toMatchObject({ ok: true });
  // The same service gives the same bytes for the second badge, so that the user would get only one.
  const later = stage(honest, storage);
  const second = page({ ...later, ports: { ...later.ports, nowMs: () => 1_800_000_000_001 } }, keypair);
  const result = await second.flows.sponsorAndExecute(mintTransaction(), second.signer);
  expect(result).toMatchObject({ ok: false, error: { code: "not_what_was_asked" } });
  expect(second.signed).toEqual([]);
});

const account = Account.generate();
const sender = account.accountAddress.toStringLong();
const APTOS_THEFT: Readonly<Record<string, (payload: Uint8Array) => object>> = {
  "another payload": () => aptosAnswer(rawBytes(addPayload(2n).bcsToBytes(), honestFields(sender))),
  "another sender": (payload) => aptosAnswer(rawBytes(payload, honestFields(FUND))),
  "another chain": (payload) => aptosAnswer(rawBytes(payload, { ...honestFields(sender), chainId: 1 })),
  "more gas": (payload) => aptosAnswer(rawBytes(payload, { ...honestFields(sender), maxGasAmount: 2_000_001n })),
  "another fee payer": (payload) => aptosAnswer(rawBytes(payload, honestFields(sender)), { feePayerAddress: sender }),
};

/** The account as a wallet, which counts the user's signatures. */
function countingAccount() {
  const counted = { signatures: 0 };
  const signer = aptosAccount(
    {
      accountAddress: account.accountAddress,
      signTransactionWithAuthenticator: (
        transaction: Parameters<typeof account.signTransactionWithAuthenticator>[0],
      ) => {
        counted.signatures += 1;
        return account.signTransactionWithAuthenticator(transaction);
      },
    },
    sdk,
  );
  return { counted, signer };
}

test.each(Object.entries(APTOS_THEFT))("on Aptos the user signs nothing for %s", async (_, steal) => {
  const on = stage(({ body }) => json(steal(unhex(body.payloadBytes))));
  const { counted, signer } = countingAccount();
  const result = await page(on).flows.sponsorAndExecute(addPayload(), signer);
  expect(result).toMatchObject({ ok: false, error: { code: "not_what_was_asked", mayHaveExecuted: false } });
  expect(counted.signatures).toBe(0);
  expect(on.calls.map(({ path }: Seen) => path)).toEqual(["/flows/sponsor"]);
});

test("on Aptos the user signs nothing for a transaction that was used before", async () => {
  // The same service gives the same bytes for the second payment, so that the user would get only one.
  const again: Service = ({ path, body }) =>
    path === "/flows/sponsor"
      ? json(aptosAnswer(rawBytes(unhex(body.payloadBytes), honestFields(sender))))
      : json({ hash: `0x${"5a".repeat(32)}`, status: "pending", pendingTransaction: {} });
  const { counted, signer } = countingAccount();
  const storage = memoryStorage();
  expect(await page(stage(again, storage)).flows.sponsorAndExecute(addPayload(), signer)).toMatchObject({ ok: true });
  const later = stage(again, storage);
  const second = page({ ...later, ports: { ...later.ports, nowMs: () => 1_800_000_000_001 } });
  const result = await second.flows.sponsorAndExecute(addPayload(), signer);
  expect(result).toMatchObject({ ok: false, error: { code: "not_what_was_asked" } });
  expect(counted.signatures).toBe(1);
});

test("a wallet that signs other bytes than it was shown executes nothing", async () => {
  const on = stage(honest);
  const { flows, keypair } = page(on);
  const other = sponsoredBytes(otherKind, keypair.toSuiAddress());
  const wallet = { address: keypair.toSuiAddress(), signTransaction: async () => keypair.signTransaction(other) };
  const result = await flows.sponsorAndExecute(mintTransaction(), wallet);
  expect(result).toMatchObject({ ok: false, error: { code: "wallet_changed_it", action: { kind: "change" } } });
  expect(executions(on.calls)).toEqual([]);
});

test("an answer about another transaction is no success", async () => {
  const digest = answerOf(sponsoredBytes(otherKind, FUND)).txDigest;
  const on = stage((seen, calls) =>
    seen.path === "/flows/sponsor" ? honest(seen, calls) : json({ digest, status: "success", effects: {} }),
  );
  const { flows, signer } = page(on);
  expect(await flows.sponsorAndExecute(mintTransaction(), signer)).toMatchObject({
    ok: false,
    error: { code: "unexpected_answer", mayHaveExecuted: true },
  });
});

test("without the network's name nothing is asked for", async () => {
  const on = stage(honest);
  const { signer } = page(on);
  const result = await flowsOver(on.ports, {}).sponsorAndExecute(mintTransaction(), signer);
  expect(result).toMatchObject({ ok: false, error: { code: "network_not_set" } });
  expect(on.calls).toEqual([]);
});
