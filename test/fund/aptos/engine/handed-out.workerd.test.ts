import { expect } from "vitest";
import { APT_OCTAS, draftOf, giveOctas, newUser, SUBMIT, submitDraft } from "../../../support/aptos-chain.ts";
import {
  alsoAlter,
  aptosExecute,
  aptosSponsor,
  aptosStatesOf,
  expectExactAptosBooks,
  landed,
  newAptosFund,
  reasonOf,
  useStoppedAptosClock,
  whenCommitted,
} from "../../../support/aptos-fund.ts";
import { shortTest } from "../../../support/rounds.ts";
import { liveFor, SECOND_MS, until } from "../../../support/sui-fund.ts";

useStoppedAptosClock();

const BODY = { message: "Invalid transaction: INVALID_AUTH_KEY", error_code: "vm_error", vm_error_code: 2 };

/** A node whose mempool takes nothing, with the ledger of its last other answer. */
function refusing() {
  let ledger = new Headers();
  return [
    {
      method: "GET",
      alter: (response: Response) => {
        ledger = new Headers(response.headers);
        ledger.delete("content-length");
        return response;
      },
    },
    { method: SUBMIT, instead: () => Response.json(BODY, { status: 400, headers: ledger }) },
  ];
}

shortTest("no signature is handed out for a row that gave way in the same commit", async () => {
  const fund = await newAptosFund();
  const sender = newUser();
  await giveOctas(sender.address, APT_OCTAS);
  const at = (sequenceNumber: bigint, maxGasUnits = 20_000n) => draftOf(sender, { sequenceNumber, maxGasUnits });
  for (const number of [0n, 1n]) {
    await landed(fund, at(number));
    await liveFor(fund, 5 * SECOND_MS);
  }
  const refused = refusing();
  const gate = Promise.withResolvers<void>();
  const method = `GET /accounts/${sender.address}`;
  let waiting = 0;
  const hold = {
    method,
    alter: async (response: Response) => {
      const body = await response.text();
      const headers = new Headers(response.headers);
      headers.delete("content-length");
      if (body.includes("authentication_key")) {
        waiting += 1;
        await gate.promise;
      }
      return new Response(body, { status: response.status, headers });
    },
  };
  alsoAlter(...refused, hold);
  const underKey = (fingerprint: string) => ({ idempotency: { scope: "key/method/once", fingerprint } });
  const handingOut = aptosSponsor(fund, at(2n), underKey("at 2"));
  await until(async () => waiting === 1);
  alsoAlter(...refused);
  expect(reasonOf(await aptosExecute(fund, at(2n)))).toBe("node_refused");
  alsoAlter(...refused, hold);
  const replacing = aptosExecute(fund, at(2n, 19_000n));
  await until(async () => waiting === 2);
  gate.resolve();
  const [handedOut] = await Promise.all([handingOut, replacing]);
  alsoAlter();
  expect((await aptosStatesOf(fund)).slice(2)).toEqual(["dead", "signed"]);
  if (handedOut.ok) {
    expect(await submitDraft(at(2n), fund.address, handedOut.value.authenticator)).toBe("accepted");
    await whenCommitted(at(2n));
    await liveFor(fund, 30 * SECOND_MS);
  }
  await expectExactAptosBooks(fund);
  expect(reasonOf(handedOut)).toBe("sequence_conflict");
  const again = await aptosSponsor(fund, at(4n), underKey("at 4"));
  expect(reasonOf(again), "its Idempotency-Key is free again").not.toBe("idempotency_conflict");
});
