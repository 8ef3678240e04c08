import { expect } from "vitest";
import { APT_OCTAS } from "../../../support/aptos-chain.ts";
import {
  alsoAlter,
  aptosWithdrawals,
  expectQuiet,
  newAptosFund,
  useStoppedAptosClock,
} from "../../../support/aptos-fund.ts";
import { newRecipient, request, withdraw } from "../../../support/aptos-withdrawals.ts";
import { shortTest } from "../../../support/rounds.ts";

useStoppedAptosClock();

const VERSION = "x-aptos-ledger-version";

shortTest("a withdrawal right after another one is not spent by a reply from before that one", async () => {
  const fund = await newAptosFund(2n * APT_OCTAS);
  const [first, second] = [request(newRecipient()), request(newRecipient())];
  let before: { readonly version: string; readonly body: string } | null = null;
  let lags = false;
  alsoAlter({
    method: `GET /accounts/${fund.address}`,
    alter: async (response) => {
      const body = await response.clone().text();
      if (!body.includes("authentication_key")) return response;
      const headers = new Headers(response.headers);
      before ??= { version: headers.get(VERSION) ?? "", body };
      if (!lags) return response;
      headers.delete("content-length");
      headers.set(VERSION, before.version);
      return new Response(before.body, { headers });
    },
  });
  expect(await withdraw(fund, first)).toMatchObject({ value: { state: "complete" } });
  lags = true;
  expect(await withdraw(fund, second)).toMatchObject({ error: { reason: "node_unavailable" } });
  lags = false;
  expect(await withdraw(fund, second)).toMatchObject({ value: { state: "complete" } });
  expect(await aptosWithdrawals(fund)).toMatchObject([{ sequenceNumber: 0n }, { sequenceNumber: 1n }]);
  await expectQuiet(fund);
});
