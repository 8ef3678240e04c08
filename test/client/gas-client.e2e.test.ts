import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Transaction } from "@mysten/sui/transactions";
import { expect, test } from "vitest";
import { createSuiGasClient, type SuiGasClient } from "../../shared/client/gas-client.ts";
import type { Reply } from "../../shared/client/rpc-client.ts";
import { newFund, newKey, serviceUrl } from "../harness/harness.ts";
import { mintKind } from "../support/sui-transactions.ts";

function granted<T>(reply: Reply<T>): T {
  if (!reply.ok) throw new Error(JSON.stringify(reply.error));
  return reply.value;
}

const user = Ed25519Keypair.generate();

async function newClient(): Promise<SuiGasClient> {
  const { key } = await newKey(await newFund());
  return createSuiGasClient({ baseUrl: serviceUrl, accessKey: key });
}

test("over HTTP the client prepares, executes and sees the fund pay what the chain charged", async () => {
  const client = await newClient();
  const before = granted(await client.getFund({}));
  const transactionBytes = await mintKind("by client");
  const prepared = granted(await client.prepareTransactionBlock({ transactionBytes, sender: user.toSuiAddress() }));
  expect(granted(await client.getFund({})).inFlight).toBeGreaterThan(0n);

  const { signature } = await user.signTransaction(prepared.txBytes);
  const executed = granted(
    await client.executeTransactionBlock({
      txDigest: prepared.txDigest,
      senderSignature: signature,
      requestType: "WaitForLocalExecution",
    }),
  );
  expect(executed).toMatchObject({
    digest: prepared.txDigest,
    effects: { status: { status: "success" }, gasObject: { owner: { AddressOwner: before.depositAddress } } },
    events: [{ transactionModule: "demo", sender: user.toSuiAddress() }],
    confirmedLocalExecution: true,
  });
  expect(executed.objectChanges.map(({ type }) => type).sort()).toEqual(["created", "mutated"]);

  const status = await client.getSponsoredTransactionBlockStatus({ transactionDigest: prepared.txDigest });
  expect(granted(status)).toBe("COMPLETE");
  const { computationCost, storageCost, storageRebate } = executed.effects.gasUsed;
  const after = granted(await client.getFund({}));
  expect(before.balance - after.balance).toBe(BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate));
  expect(after.inFlight).toBe(before.inFlight);
});

test("over HTTP a refusal is a value", async () => {
  const client = await newClient();
  const transaction = new Transaction();
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [1])], user.toSuiAddress());
  const transactionBytes = await transaction.build({ onlyTransactionKind: true });
  const sender = user.toSuiAddress();
  expect(await client.sponsorTransactionBlock({ transactionBytes, sender, gasBudget: 5_000_000n })).toMatchObject({
    ok: false,
    error: { kind: "refused", code: -32602, reason: "gas_coin_used" },
  });
});
