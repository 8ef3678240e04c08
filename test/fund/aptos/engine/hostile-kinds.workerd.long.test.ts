import { AccountAddress, MoveString, MoveVector, U64 } from "@aptos-labs/ts-sdk";
import { expect, test } from "vitest";
import { APTOS_GOLD } from "../../../devchain/demo.ts";
import {
  APT_OCTAS,
  type AptosUser,
  assetOnChain,
  type DraftTerms,
  draftOf,
  giveOctas,
  newUser,
  octasOnChain,
  submitAlone,
} from "../../../support/aptos-chain.ts";
import {
  aptosLedgerOf,
  aptosStatesOf,
  aptosWithdrawals,
  expectQuiet,
  landed,
  newAptosFund,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { newRecipient, request, withdraw } from "../../../support/aptos-withdrawals.ts";
import { liveFor, MINUTE_MS, SECOND_MS, type TestFund } from "../../../support/sui-fund.ts";

const ROUNDS = 4;
const SPONSORSHIPS = 4;
const DUST = 500;
const GOLD = 77n;
const FIRST_OCTAS = 20n * APT_OCTAS;
const PAID_OUT_OCTAS = APT_OCTAS / 10n;

useStoppedAptosClock();

async function serve(fund: TestFund): Promise<void> {
  for (let index = 0; index < SPONSORSHIPS; index++)
    expect(await landed(fund, draftOf(newUser()))).toMatchObject({ success: true });
}

/** The stranger pays for it himself. */
async function send(stranger: AptosUser, sequenceNumber: bigint, terms: Partial<DraftTerms>): Promise<void> {
  const draft = draftOf(stranger, { sequenceNumber, maxGasUnits: 1_000_000n, ...terms });
  expect(await submitAlone(draft)).toBe("accepted");
  expect(await whenCommitted(draft)).toMatchObject({ success: true });
}

/** An object, an asset of another kind, and dust by the hundred. */
async function attack(fund: TestFund): Promise<void> {
  const stranger = newUser();
  await giveOctas(stranger.address, 10n * APT_OCTAS);
  const to = AccountAddress.from(fund.address);
  await send(stranger, 0n, { call: ["mint", new MoveString(`for ${fund.address}`), to] });
  await send(stranger, 1n, { call: ["mint_gold", to, new U64(GOLD)] });
  const recipients = new MoveVector(Array.from({ length: DUST }, () => to));
  const amounts = MoveVector.U64(Array.from({ length: DUST }, () => 1n));
  await send(stranger, 2n, { module: "0x1::aptos_account", call: ["batch_transfer", recipients, amounts] });
}

test("whatever strangers send while an Aptos fund sponsors, settles and withdraws, nothing fails by it", async () => {
  const fund = await newAptosFund(FIRST_OCTAS);
  const recipients = Array.from({ length: ROUNDS }, newRecipient);
  for (const to of recipients) {
    const pay = async () =>
      expect(await withdraw(fund, request(to, { amountAtoms: PAID_OUT_OCTAS }))).toMatchObject({
        value: { state: "complete" },
      });
    await Promise.all([serve(fund), attack(fund), pay(), liveFor(fund, 30 * SECOND_MS)]);
  }
  await liveFor(fund, 5 * MINUTE_MS);

  expect(await aptosStatesOf(fund)).toEqual(Array.from({ length: ROUNDS * SPONSORSHIPS }, () => "complete"));
  expect((await aptosWithdrawals(fund)).map(({ state }) => state)).toEqual(recipients.map(() => "complete"));
  for (const to of recipients) expect(await octasOnChain(to)).toBe(PAID_OUT_OCTAS);
  await expectQuiet(fund);
  const found = (await aptosLedgerOf(fund)).filter(({ kind }) => kind === "deposit" || kind === "adjustment");
  expect(found.filter(({ kind }) => kind === "adjustment")).toEqual([]);
  expect(found.reduce((sum, { balanceAtoms }) => sum + balanceAtoms, 0n)).toBe(FIRST_OCTAS + BigInt(ROUNDS * DUST));
  expect(await assetOnChain(fund.address, APTOS_GOLD), "the rest lies where it was sent").toBe(BigInt(ROUNDS) * GOLD);
});
