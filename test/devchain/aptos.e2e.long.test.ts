import { Account, Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { expect, test } from "vitest";
import * as z from "zod";
import { advance, chainUrl } from "../harness/harness.ts";

const APT = 100_000_000n;

const aptos = new Aptos(
  new AptosConfig({
    network: Network.LOCAL,
    fullnode: `${chainUrl}/aptos/v1`,
    indexer: `${chainUrl}/aptos/graphql`,
  }),
);

async function funded(octas: bigint): Promise<Account> {
  const account = Account.generate();
  const order = { network: "APTOS_LOCALNET", address: account.accountAddress.toString(), amount: String(octas) };
  const response = await fetch(`${chainUrl}/faucet`, { method: "POST", body: JSON.stringify(order) });
  expect(response.status).toBe(200);
  // The node shows a block late. A simulation before that costs what a new account costs.
  const { hash } = z.object({ hash: z.string() }).parse(await response.json());
  await aptos.waitForTransaction({ transactionHash: hash });
  return account;
}

test("the bundled chain verifies, sponsors and commits in the Workers runtime, and keeps its state over a restart", async () => {
  const [user, fund] = [await funded(5n * APT), await funded(APT)];
  // The chain's clock may be ahead of this machine's.
  const { ledger_timestamp: nowUs } = await aptos.getLedgerInfo();
  const transaction = await aptos.transaction.build.simple({
    sender: user.accountAddress,
    withFeePayer: true,
    data: { function: "0x1::aptos_account::transfer", functionArguments: [fund.accountAddress, 7] },
    options: { maxGasAmount: 10_000, expireTimestamp: Number(BigInt(nowUs) / 1_000_000n) + 60 },
  });
  const [simulated] = await aptos.transaction.simulate.simple({ signerPublicKey: user.publicKey, transaction });
  const senderAuthenticator = aptos.transaction.sign({ signer: user, transaction });
  const feePayerAuthenticator = aptos.transaction.signAsFeePayer({ signer: fund, transaction });
  const { hash } = await aptos.transaction.submit.simple({ transaction, senderAuthenticator, feePayerAuthenticator });
  const committed = await aptos.waitForTransaction({ transactionHash: hash });
  expect(committed.gas_used).toBe(simulated?.gas_used);

  await advance(1_000);
  expect(await aptos.getTransactionByHash({ transactionHash: hash })).toEqual(committed);
  const charged = 100n * BigInt(committed.gas_used);
  const accountAddress = fund.accountAddress;
  expect(await aptos.getAccountAPTAmount({ accountAddress })).toBe(Number(APT + 7n - charged));
  expect(await aptos.getAccountCoinsCount({ accountAddress })).toBe(1);
});
