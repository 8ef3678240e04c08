import { Account, AptosApiError } from "@aptos-labs/ts-sdk";
import { afterEach, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import { chainUrl, setServiceVars } from "../harness/harness.ts";
import { aptos as direct, giveApt, OCTAS_PER_APT } from "../support/aptos.ts";
import { newNodeKey, stockAptos } from "./gateways.ts";

const PRUNED = `${chainUrl}/aptos/pruned/v1`;
const ARCHIVE = `${chainUrl}/aptos/archive/v1`;

async function prune(oldestHeight: number | null, archivalEndpoint?: string): Promise<void> {
  const order = { endpoint: "pruned", oldestHeight, ...(archivalEndpoint !== undefined && { archivalEndpoint }) };
  const answer = await http(`${chainUrl}/control/prune`, { method: "POST", body: JSON.stringify(order) });
  expectAnswer("the order to prune", answer, z.object({}));
}

async function archiveCalls(): Promise<Readonly<Record<string, number>>> {
  const answer = await http(`${chainUrl}/control/calls?endpoint=archive`);
  return expectAnswer("the calls of the archive", answer, z.record(z.string(), z.int()));
}

/** The balance of an account at a version, by a view. */
function viewAt(client: typeof direct, address: string, ledgerVersion: bigint) {
  const payload = {
    function: "0x1::coin::balance" as const,
    typeArguments: ["0x1::aptos_coin::AptosCoin"],
    functionArguments: [address],
  };
  return client.view({ payload, options: { ledgerVersion } });
}

/** An account with one payment, and that payment's version and block, which the node has then pruned. */
async function prunedPayment(archivalEndpoint?: string) {
  const address = Account.generate().accountAddress.toString();
  await giveApt(address, OCTAS_PER_APT);
  const version = BigInt((await direct.getLedgerInfo()).ledger_version);
  const height = Number((await direct.getBlockByVersion({ ledgerVersion: version })).block_height);
  await expect
    .poll(async () => Number((await direct.getLedgerInfo()).block_height), { timeout: 20_000 })
    .toBeGreaterThan(height);
  await prune(height + 1, archivalEndpoint);
  return { address, version, height };
}

beforeAll(() => setServiceVars({ APTOS_LOCALNET_NODES: PRUNED, APTOS_LOCALNET_ARCHIVES: ARCHIVE }));
afterEach(() => prune(null));

test("what a node has pruned, the stock client reads of the listed archive that the node names", async () => {
  const { key } = await newNodeKey();
  const client = stockAptos(key, "bearer");
  const { address, version, height } = await prunedPayment(ARCHIVE);
  expect(await client.getBlockByHeight({ blockHeight: height })).toEqual(
    await direct.getBlockByHeight({ blockHeight: height }),
  );
  expect(await client.getTransactionByVersion({ ledgerVersion: version })).toEqual(
    await direct.getTransactionByVersion({ ledgerVersion: version }),
  );
  expect(await viewAt(client, address, version)).toEqual([OCTAS_PER_APT.toString()]);
  expect(await archiveCalls()).toEqual({
    "GET /blocks/by_height/:height": 1,
    "GET /transactions/by_version/:version": 1,
    "POST /view": 1,
  });
  const { oldest_block_height: oldest } = await client.getLedgerInfo();
  expect(oldest, "what is not pruned comes from the node").toBe(String(height + 1));
});

test.each([
  ["no archive", undefined],
  ["an archive that is not listed", `${chainUrl.replace("127.0.0.1", "localhost")}/aptos/archive/v1`],
])("a pruned node that names %s is answered with its own words, and without that place", async (_, named) => {
  const { key } = await newNodeKey();
  const before = await archiveCalls();
  const { height } = await prunedPayment(named);
  const error = await stockAptos(key, "bearer")
    .getBlockByHeight({ blockHeight: height })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AptosApiError);
  expect(error).toMatchObject({
    status: 410,
    data: { message: `Block(${height}) has been pruned`, error_code: "block_pruned" },
  });
  expect(JSON.stringify(Object(error).data)).not.toContain("archival_endpoint");
  expect(await archiveCalls()).toEqual(before);
});
