import { type Account, generateUserTransactionHash } from "@aptos-labs/ts-sdk";
import { expect, test } from "vitest";
import * as z from "zod";
import { APT, startAptosChain } from "./aptos-testing.ts";

const RECEIVER = `0x${"5".repeat(64)}`;
const summaries = z.array(z.object({ transaction_hash: z.string(), replay_protector: z.string() }));

/** A transfer of the stock client's, with a nonce in the place of a sequence number. */
async function newChain() {
  const chain = await startAptosChain();
  const { aptos } = chain;
  const sender = await chain.account(APT);
  const seconds = async () => {
    const { ledger_timestamp: nowUs } = await aptos.getLedgerInfo();
    return Number(BigInt(nowUs) / 1_000_000n);
  };
  async function signed(signer: Account, nonce: bigint, expireTimestamp: number, octas = 1n) {
    const transaction = await aptos.transaction.build.simple({
      sender: signer.accountAddress,
      data: { function: "0x1::aptos_account::transfer", functionArguments: [RECEIVER, octas] },
      options: { maxGasAmount: 20_000, gasUnitPrice: 100, expireTimestamp, replayProtectionNonce: nonce },
    });
    return { transaction, senderAuthenticator: aptos.transaction.sign({ signer, transaction }) };
  }
  type Signed = Awaited<ReturnType<typeof signed>>;
  const submit = (one: Signed) => aptos.transaction.submit.simple(one);
  return { chain, aptos, sender, seconds, signed, submit };
}

test("an orderless transaction uses no sequence number, and is in the summaries alone", async () => {
  const { chain, aptos, sender, seconds, signed, submit } = await newChain();
  const one = await signed(sender, 7n, (await seconds()) + 60);
  await submit(one);
  const hash = generateUserTransactionHash(one);
  const committed = await aptos.waitForTransaction({ transactionHash: hash });
  expect(committed).toMatchObject({ success: true, replay_protection_nonce: "7" });
  const { sequence_number: number } = await aptos.getAccountInfo(sender);
  expect(number).toBe("0");
  expect(await aptos.getAccountTransactions(sender)).toEqual([]);
  const address = sender.accountAddress.toString();
  const listed = async (query: string) =>
    summaries.parse(await (await chain.call("GET", `/accounts/${address}/transaction_summaries${query}`)).json());
  expect(await listed("")).toEqual([{ transaction_hash: hash, replay_protector: "7" }]);
  expect(await listed(`?start_version=${Number(committed.version) + 1}`)).toEqual([]);
});

test("a nonce is used once, and is free again a hundred seconds after its expiration", async () => {
  const { chain, aptos, sender, seconds, signed, submit } = await newChain();
  const expiry = (await seconds()) + 30;
  const [one, other] = [await signed(sender, 7n, expiry), await signed(sender, 7n, expiry, 2n)];
  const hold = (held: boolean) => chain.control("POST", "/control/consensus", { held });
  await hold(true);
  await submit(one);
  await expect(submit(other), "in the mempool").rejects.toThrow(/different payload/);
  await hold(false);
  await aptos.waitForTransaction({ transactionHash: generateUserTransactionHash(one) });
  await expect(submit(one), "the same again").rejects.toThrow(/NONCE_ALREADY_USED/);
  await expect(submit(await signed(sender, 7n, expiry + 20))).rejects.toThrow(/NONCE_ALREADY_USED/);
  await submit(await signed(sender, 8n, expiry));
  // The chain compares expirations. This one is 80 seconds after the first, so a slow test has 20 seconds left.
  chain.clock.aheadMs += 50_000;
  await expect(submit(await signed(sender, 7n, (await seconds()) + 60)), "kept").rejects.toThrow(/NONCE_ALREADY_USED/);
  chain.clock.aheadMs += 70_000;
  await submit(await signed(sender, 7n, (await seconds()) + 60));
});

test("it expires within 65 seconds, and needs no account", async () => {
  const { chain, aptos, sender, seconds, signed, submit } = await newChain();
  await expect(submit(await signed(sender, 1n, (await seconds()) + 70))).rejects.toThrow(
    /TRANSACTION_EXPIRATION_TOO_FAR_IN_FUTURE/,
  );
  const stranger = await chain.account(APT);
  const one = await signed(stranger, 1n, (await seconds()) + 60);
  await submit(one);
  await aptos.waitForTransaction({ transactionHash: generateUserTransactionHash(one) });
  const address = stranger.accountAddress.toString();
  const resource = await chain.call("GET", `/accounts/${address}/resource/0x1::account::Account`);
  expect(resource.status).toBe(404);
});
