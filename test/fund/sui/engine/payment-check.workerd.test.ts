import { GrpcTypes } from "@mysten/sui/grpc";
import { toBase58 } from "@mysten/sui/utils";
import { afterEach, expect, vi } from "vitest";
import { FundArchive } from "../../../../shared/fund/archive/object.ts";
import { type Alteration, alterReplies, once } from "../../../byzantine-node/altered-sui-node.ts";
import { messageResponse } from "../../../devchain/sui/grpc-web.ts";
import { A_DAY, DAY_MS, runMoves } from "../../../support/archive.ts";
import { copyOf, putBack } from "../../../support/restore.ts";
import { longTest, shortTest } from "../../../support/rounds.ts";
import { balanceOnChain, give, LIST, LOOK_UP } from "../../../support/sui-chain.ts";
import {
  alarm,
  executeOnChain,
  liveFor,
  MINUTE_MS,
  newFund,
  newFundWith,
  pass,
  SECOND_MS,
  SUI_MIST,
  sponsor,
  stub,
  type TestFund,
  useStoppedClock,
  withOurTime,
} from "../../../support/sui-fund.ts";
import { OUTSIDE, withdraw } from "./restored.ts";

useStoppedClock();
afterEach(() => vi.restoreAllMocks());

const [FIRST, SECOND] = ["/sui/first/sui.rpc.", "/sui/second/sui.rpc."];
const ours = [FIRST, SECOND].map((endpoint) => ({ ...withOurTime, endpoint }));
const paidMist = async () => (await balanceOnChain(OUTSIDE)).totalMist;
const unexplained = { error: { reason: "node_unavailable", details: expect.stringContaining("/recover") } };

/** Pays a withdrawal, and puts back a copy of before. @returns how much the outside address then has, MIST. */
async function forgetWithdrawal(fund: TestFund): Promise<bigint> {
  const copy = await copyOf(fund);
  expect(await withdraw(fund, "forgotten")).toMatchObject({ value: { state: "complete" } });
  await putBack(fund, copy);
  return paidMist();
}

shortTest("a payment that one of two endpoints alone can show is not repeated while the other is silent", async () => {
  alterReplies(withOurTime, ...ours);
  const fund = await newFundWith({ network: "SUI_MAINNET" });
  await give(fund.address, 5n * SUI_MIST);
  await stub(fund).refresh();
  const hadMist = await forgetWithdrawal(fund);
  const silent = { method: LOOK_UP, endpoint: SECOND, request: () => new Response("busy", { status: 503 }) };
  alterReplies(withOurTime, ...ours, silent);
  expect(await withdraw(fund, "forgotten")).toMatchObject(unexplained);
  alterReplies(withOurTime, ...ours);
  expect(await withdraw(fund, "forgotten")).toMatchObject({ error: { reason: "fund_paused" } });
  expect(await paidMist()).toBe(hadMist);
});

longTest(
  "a payment that a silent archive may know is not repeated, and is found once the archive answers",
  async () => {
    const fund = await newFundWith(A_DAY, 5n * SUI_MIST);
    await executeOnChain(await sponsor(fund, "old"));
    await liveFor(fund, MINUTE_MS);
    pass(2 * DAY_MS);
    await runMoves(fund);
    const hadMist = await forgetWithdrawal(fund);
    const spies = (["sponsorship", "sponsorships", "treasury"] as const).map((method) =>
      vi.spyOn(FundArchive.prototype, method).mockImplementation(() => {
        throw new Error("no answer");
      }),
    );
    expect(await withdraw(fund, "forgotten")).toMatchObject(unexplained);
    for (const spy of spies) spy.mockRestore();
    expect(await withdraw(fund, "forgotten")).toMatchObject({ error: { reason: "fund_paused" } });
    expect(await paidMist()).toBe(hadMist);
  },
);

shortTest("a recovery that begins and ends during a withdrawal's check still needs the operator's word", async () => {
  const fund = await newFund(5n * SUI_MIST);
  const hadMist = await forgetWithdrawal(fund);
  const recover = async () => {
    await stub(fund).recover();
    for (let step = 0; step < 20 && (await stub(fund).view())?.recovery?.state !== "done"; step++) {
      pass(SECOND_MS / 2);
      await alarm(fund);
    }
    expect(await stub(fund).view()).toMatchObject({ recovery: { state: "done" } });
  };
  alterReplies(withOurTime, once(LIST, { before: recover }));
  expect(await withdraw(fund, "forgotten")).toMatchObject({ error: { reason: "recovery_unconfirmed" } });
  expect(await paidMist()).toBe(hadMist);
});

/** A listing of strangers' coins without an end, behind the fund's own. */
function strangersCoins(fund: TestFund): { readonly pages: () => number; readonly lie: Alteration } {
  const owner = GrpcTypes.Owner.create({ kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address: fund.address });
  const digest = toBase58(new Uint8Array(32));
  let pages = 0;
  const request = () => {
    pages += 1;
    const objects = Array.from({ length: 1_000 }, (_, index) => {
      const objectId = `0xdd${(pages * 1_000 + index).toString(16).padStart(62, "0")}`;
      return GrpcTypes.Object.create({ objectId, version: 2n, digest, balance: 1n, owner });
    });
    const nextPageToken = Uint8Array.from([pages % 250]);
    const reply = GrpcTypes.ListOwnedObjectsResponse.create({ objects, nextPageToken });
    return messageResponse("binary", GrpcTypes.ListOwnedObjectsResponse.toBinary(reply));
  };
  return { pages: () => pages, lie: { method: LIST, request } };
}

shortTest("coins that strangers send without end stop no withdrawal", async () => {
  const fund = await newFund(5n * SUI_MIST);
  const hadMist = await paidMist();
  const { lie, pages } = strangersCoins(fund);
  alterReplies(withOurTime, lie);
  expect(await withdraw(fund, "ours")).toMatchObject({ value: { state: "complete" } });
  expect((await paidMist()) - hadMist).toBe(SUI_MIST);
  expect(pages()).toBeLessThanOrEqual(3);
});
