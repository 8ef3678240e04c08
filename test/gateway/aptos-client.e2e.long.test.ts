import { Account } from "@aptos-labs/ts-sdk";
import { describe, expect, test } from "vitest";
import { APTOS_DEMO_MODULE } from "../devchain/demo.ts";
import { aptos as direct, giveApt, OCTAS_PER_APT } from "../support/aptos.ts";
import { type KeyPlace, newNodeKey, stockAptos } from "./gateways.ts";

async function richAccount() {
  const account = Account.generate();
  await giveApt(account.accountAddress.toString(), OCTAS_PER_APT);
  return account;
}

describe.each<KeyPlace>(["bearer", "header"])(
  "the stock Aptos client does its work through the gateway, key as %s",
  (place) => {
    test("reads: ledger info, account, resources, modules, view, gas price, blocks", async () => {
      const { key } = await newNodeKey();
      const client = stockAptos(key, place);
      const { accountAddress } = await richAccount();
      expect((await client.getLedgerInfo()).chain_id).toBe((await direct.getLedgerInfo()).chain_id);
      expect(await client.getChainId()).toBe(4);
      expect(await client.getAccountInfo({ accountAddress })).toEqual(await direct.getAccountInfo({ accountAddress }));
      expect(await client.getAccountResources({ accountAddress })).toEqual(
        await direct.getAccountResources({ accountAddress }),
      );
      const module = { accountAddress: "0x1", moduleName: "aptos_account" };
      expect(await client.getAccountModule(module)).toEqual(await direct.getAccountModule(module));
      const view = {
        function: "0x1::coin::balance" as const,
        typeArguments: ["0x1::aptos_coin::AptosCoin"],
        functionArguments: [accountAddress],
      };
      expect(await client.view({ payload: view })).toEqual([OCTAS_PER_APT.toString()]);
      expect(await client.getGasPriceEstimation()).toEqual(await direct.getGasPriceEstimation());
      const block = await client.getBlockByVersion({ ledgerVersion: 1 });
      expect(block).toEqual(await direct.getBlockByVersion({ ledgerVersion: 1 }));
    });

    test("a transaction: build, simulate, sign, submit, wait", async () => {
      const { key } = await newNodeKey();
      const client = stockAptos(key, place);
      const sender = await richAccount();
      // By the chain's clock, which other tests may have moved.
      const { ledger_timestamp: nowMicros } = await client.getLedgerInfo();
      const transaction = await client.transaction.build.simple({
        sender: sender.accountAddress,
        data: { function: `${APTOS_DEMO_MODULE}::increment`, functionArguments: [] },
        options: { expireTimestamp: Number(BigInt(nowMicros) / 1_000_000n) + 60 },
      });
      const [simulated] = await client.transaction.simulate.simple({ signerPublicKey: sender.publicKey, transaction });
      expect(simulated).toMatchObject({ success: true });
      const { hash } = await client.signAndSubmitTransaction({ signer: sender, transaction });
      expect(await client.waitForTransaction({ transactionHash: hash })).toMatchObject({ success: true, hash });
      expect(await client.getTransactionByHash({ transactionHash: hash })).toEqual(
        await direct.getTransactionByHash({ transactionHash: hash }),
      );
    });

    test("what a node refuses reaches the client as the node said it", async () => {
      const { key } = await newNodeKey();
      const asked = {
        accountAddress: Account.generate().accountAddress,
        resourceType: "0x1::account::Account",
      } as const;
      const told = async (ask: Promise<unknown>) => {
        const error: unknown = await ask.catch((thrown: unknown) => thrown);
        return Object.entries(Object(error)).filter(([name]) => name === "status" || name === "data");
      };
      const through = await told(stockAptos(key, place).getAccountResource(asked));
      expect(through).toContainEqual(["status", 404]);
      expect(JSON.stringify(through)).toContain("resource_not_found");
    });
  },
);
