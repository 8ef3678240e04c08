import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { beforeEach, expect, test } from "vitest";
import { expectExactBooks } from "../../../support/fund-books.ts";
import { fundsOnChain, give, resolvedKind, sendAs } from "../../../support/sui-chain.ts";
import { execute, newFundOfCoins, prepare, refusalOf, user, useStoppedClock } from "../../../support/sui-fund.ts";

const SUI_TYPE = "0x2::sui::SUI";
const SUI_MIST = 1_000_000_000n;
const FAR_MS = 99_999_999_999_999n;

useStoppedClock();

const funder = new Ed25519Keypair();
let allowance: string;

beforeEach(async () => {
  await give(funder.toSuiAddress(), SUI_MIST);
  await give(funder.toSuiAddress(), SUI_MIST, "address_balance");
  const effects = await sendAs(funder, (transaction) => {
    transaction.moveCall({
      target: "0x2::allowance::new",
      typeArguments: [`0x2::balance::Balance<${SUI_TYPE}>`],
      arguments: [
        transaction.pure.string("pocket money"),
        transaction.pure.address(user.toSuiAddress()),
        transaction.pure.option("u256", 50_000n),
        transaction.pure.option("u64", null),
        transaction.pure.option("u64", FAR_MS),
        transaction.moveCall({ target: "0x1::option::none", typeArguments: ["0x2::allowance::RateLimit"] }),
      ],
    });
  });
  allowance = effects?.changedObjects.find(({ outputOwner }) => outputOwner?.$kind === "Shared")?.objectId ?? "";
});

function spending(amount: bigint, to: string, funds?: string): Promise<Uint8Array> {
  return resolvedKind(user.toSuiAddress(), (transaction) => {
    const named = funds === undefined ? {} : { funder: funds };
    transaction.moveCall({
      target: "0x2::balance::send_funds",
      typeArguments: [SUI_TYPE],
      arguments: [
        transaction.balance({ balance: amount, allowance: { objectId: allowance, ...named } }),
        transaction.pure.address(to),
      ],
    });
  });
}

test("a user spends what somebody else allows, and the fund pays for the gas", async () => {
  const fund = await newFundOfCoins(2);
  const to = new Ed25519Keypair().toSuiAddress();
  const prepared = await prepare(fund, "", { kindBytes: await spending(30_000n, to) });
  expect(await execute(fund, prepared)).toMatchObject({ ok: true, value: { execution: { success: true } } });
  expect(await fundsOnChain(to, SUI_TYPE)).toBe(30_000n);
  await expectExactBooks(fund);
});

test("an allowance of the fund itself is never spent", async () => {
  const fund = await newFundOfCoins(2);
  const kindBytes = await spending(1n, user.toSuiAddress(), fund.address);
  expect(await refusalOf(fund, "", { kindBytes })).toBe("foreign_withdrawal");
  expect(await refusalOf(fund, "", { kindBytes, gasBudgetMist: null })).toBe("foreign_withdrawal");
});
