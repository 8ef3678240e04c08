import { AccountAddress, U64 } from "@aptos-labs/ts-sdk";
import { expect } from "vitest";
import { newRequestId } from "../../../shared/http/request-id.ts";
import { type Draft, draftOf, newUser } from "../../support/aptos-chain.ts";
import {
  aptosSponsor,
  executed,
  landed,
  newAptosFund,
  useStoppedAptosClock,
  whenCommitted,
} from "../../support/aptos-fund.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import { explain, type ListedFund, newListedAptosFund } from "../../support/stories.ts";
import { liveFor, MINUTE_MS, SECOND_MS } from "../../support/sui-fund.ts";

useStoppedAptosClock();

const transferTo = (to: string, octas: bigint) =>
  ({ module: "0x1::aptos_account", call: ["transfer", AccountAddress.from(to), new U64(octas)] }) as const;

/** What an operator reads by the sender and the time. */
function explainSender({ sender }: Draft) {
  const from = new Date(Date.now() - 60 * MINUTE_MS).toISOString();
  const to = new Date(Date.now() + MINUTE_MS).toISOString();
  return explain(`?sender=${sender.address}&from=${from}&to=${to}`);
}

/** Executes through the fund, and has it settled. Returns what an operator reads by the hash. */
async function toldOf(fund: ListedFund, draft: Draft, requestId: string) {
  const hash = await executed(fund, draft, { keyId: fund.keyId, requestId });
  await whenCommitted(draft);
  await liveFor(fund, 10 * SECOND_MS);
  return { hash, told: await explain(`/${hash}`) };
}

shortTest("it aborted with a named constant", async () => {
  const fund = await newListedAptosFund();
  const requestId = newRequestId(Date.now());
  const { hash, told } = await toldOf(fund, draftOf(newUser(), transferTo(newUser().address, 5n)), requestId);
  const cause =
    /^It was executed and aborted in 0x[0-9a-f]{64}::\w+ with code \d+ \(EINSUFFICIENT_BALANCE\) \(version \d+\)\. The gas is charged\.$/;
  expect(told.cause).toMatch(cause);
  expect(told.stories).toMatchObject([
    {
      fundId: fund.id,
      ledger: [{ kind: "reserve" }, { kind: "charge" }],
      sponsorships: [
        {
          digest: hash,
          outcome: "aborted",
          requestId,
          targets: [`0x${"1".padStart(64, "0")}::aptos_account::transfer`],
          commands: ["entry_function"],
          endpoint: "chain.test",
          ledgerPlace: expect.stringMatching(/^\d+$/),
          executedAt: expect.any(String),
          failure: null,
          abort: { constant: "EINSUFFICIENT_BALANCE", function: null },
        },
      ],
      chain: { execution: { abort: { constant: "EINSUFFICIENT_BALANCE" } } },
    },
  ]);
  expect((await explain(`?requestId=${requestId}`)).cause, "by its request id").toMatch(cause);
});

longTest("its gas budget was too low", async () => {
  const fund = await newListedAptosFund();
  const sender = newUser();
  await landed(fund, draftOf(sender));
  const draft = draftOf(sender, { sequenceNumber: 1n, maxGasUnits: 40n, ...transferTo(newUser().address, 0n) });
  const { told } = await toldOf(fund, draft, "budget");
  expect(told.cause).toMatch(
    /^It was executed and failed: its gas budget was too low \(version \d+\)\. The gas is charged\.$/,
  );
  expect(told.stories).toMatchObject([{ sponsorships: [{ outcome: "out_of_gas", abort: null }] }]);
});

longTest("its sender used its sequence number for a transaction that another one paid for", async () => {
  const fund = await newListedAptosFund();
  const other = await newAptosFund();
  const sender = newUser();
  const draft = draftOf(sender);
  expect(await aptosSponsor(fund, draft, { keyId: fund.keyId })).toMatchObject({ ok: true });
  const { hash } = await landed(other, draftOf(sender, { maxGasUnits: 13_000n }));
  await liveFor(fund, MINUTE_MS);
  const told = await explainSender(draft);
  expect(told.cause).toBe(
    "Its sender used its sequence number for another transaction, so it can never execute. Nothing is charged.",
  );
  expect(told.stories).toMatchObject([{ sponsorships: [{ outcome: "replaced" }] }]);
  expect(await explain(`/${hash}`), "no fund of the service has paid").toMatchObject({
    isOnlyOnChain: true,
    cause: expect.stringMatching(
      /^No fund of this service has paid for it\. The chain shows it: It was executed with success \(version \d+\)\.$/,
    ),
  });
});

shortTest("nobody knows it", async () => {
  await newListedAptosFund();
  expect(await explain(`/0x${"9".repeat(64)}`)).toMatchObject({
    cause: "No fund of this service knows it, and the node does not show it.",
    isOnlyOnChain: false,
  });
});

longTest("nothing is wrong with it: it was executed", async () => {
  const fund = await newListedAptosFund();
  const { told } = await toldOf(fund, draftOf(newUser()), newRequestId(Date.now()));
  expect(told.cause).toMatch(/^It was executed with success \(version \d+\)\.$/);
  expect(told.stories).toMatchObject([{ sponsorships: [{ outcome: "succeeded" }] }]);
});

longTest("nobody executed it", async () => {
  const fund = await newListedAptosFund();
  const draft = draftOf(newUser());
  expect(await aptosSponsor(fund, draft, { keyId: fund.keyId })).toMatchObject({ ok: true });
  await liveFor(fund, 10 * MINUTE_MS);
  const told = await explainSender(draft);
  expect(told.cause).toMatch(
    /^It was signed at .+ and never executed\. It can never execute now\. .+ Nothing is charged\.$/,
  );
  expect(told.stories).toMatchObject([{ sponsorships: [{ outcome: "expired" }] }]);
});
