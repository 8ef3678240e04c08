import { MoveString } from "@aptos-labs/ts-sdk";
import { toBase64 } from "@mysten/sui/utils";
import { beforeAll, describe, expect } from "vitest";
import * as z from "zod";
import { policy } from "../../functions/policy.ts";
import type { ProjectFund } from "../../shared/cli/client/funds.ts";
import { expectAnswer, http } from "../../shared/cli/client/http.ts";
import type { Network } from "../../shared/networks.ts";
import { keyMoveTargets } from "../../shared/policy/key-policy.ts";
import { APTOS_DEMO_MODULE } from "../devchain/demo.ts";
import {
  callerSecret,
  flowsSecret,
  newFund,
  newKey,
  serviceUrl,
  setServiceVars,
  uniqueName,
} from "../harness/harness.ts";
import {
  aptos,
  authenticatorOf,
  entryFunction,
  giveApt,
  newAccount,
  newAptosFund,
  newAptosKey,
  OCTAS_PER_APT,
  rawTransaction,
  sponsorshipsOf,
} from "../support/aptos.ts";
import { figuresOf } from "../support/operator.ts";
import { longTest, shortTest } from "../support/rounds.ts";
import { newUser, sponsorshipRows } from "../support/sui-gas.ts";
import { incrementKind } from "../support/sui-transactions.ts";

/** What would abort is refused before a fund pays for it, on both chains. */

/** As a start and a deployment give the workflows' keys: what the app's policy allows, and no other call. */
const listed = (network: Network) => ({ policy: { moveTargets: { allow: keyMoveTargets(policy, network) } } });

let suiFund: ProjectFund;
let aptosFund: ProjectFund;
beforeAll(async () => {
  suiFund = await newFund();
  aptosFund = await newAptosFund();
  await setServiceVars({
    FLOWS_CALLER_SECRET: callerSecret,
    FLOWS_SECRET: flowsSecret.toString("base64"),
    FLOWS_SUI_KEY: (await newKey(suiFund, { rights: ["wallet", "gas"], ...listed("SUI_LOCALNET") })).key,
    FLOWS_APTOS_KEY: (await newAptosKey(aptosFund, listed("APTOS_LOCALNET"))).key,
  });
});

const aUser = () => uniqueName("user").replaceAll(" ", "-");
function post(name: string, body: object, { user = aUser(), key = "once" } = {}) {
  return http(`${serviceUrl}/flows/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${callerSecret}`,
      "x-user-id": user,
      "idempotency-key": key,
    },
    body: JSON.stringify(body),
  });
}

const failed = (message: RegExp) => ({
  status: 422,
  body: {
    error: { code: "transaction_failed", retryable: false, message: expect.stringMatching(message) },
  },
});

describe("on Aptos", () => {
  const mint = (to: string) => ({ function: `${APTOS_DEMO_MODULE}::mint`, arguments: ["badge", to] });
  const minted = z.object({ hash: z.string() });
  const held = async () => ({
    figures: await figuresOf(aptosFund.fundId),
    rows: await sponsorshipsOf(aptosFund.fundId),
  });

  shortTest(
    "a call that aborts is refused by the embedded wallet's workflow, five times in a row, at no cost",
    async () => {
      const user = aUser();
      const made = await post("create-wallet-on-chain", { chain: "aptos" }, { user });
      const { address } = expectAnswer("the wallet", made, z.object({ address: z.string() }));
      const body = { chain: "aptos", payload: mint(address) };
      const first = await post("sponsor-and-execute", body, { user });
      const { hash } = expectAnswer("the first badge", first, minted);
      await aptos.waitForTransaction({ transactionHash: hash });
      await expect.poll(async () => (await held()).figures, { timeout: 60_000 }).toMatchObject({ inFlight: 0n });
      const before = await held();
      for (let again = 1; again <= 5; again++)
        expect(await post("sponsor-and-execute", body, { user, key: `again ${again}` })).toMatchObject(
          failed(/Move abort/),
        );
      expect(await held()).toEqual(before);
    },
  );

  longTest(
    "a call that aborts is refused for a user's own key, when it is made and when it comes back signed",
    async () => {
      const account = newAccount();
      const sender = account.accountAddress.toStringLong();
      await giveApt(sender, OCTAS_PER_APT);
      const first = await rawTransaction(
        sender,
        entryFunction(`${APTOS_DEMO_MODULE}::mint`, [new MoveString("badge"), account.accountAddress]),
      );
      const submit = (raw: typeof first, key: string) =>
        post(
          "execute-sponsored",
          {
            chain: "aptos",
            rawTransaction: raw.bcsToHex().toString(),
            senderAuthenticator: authenticatorOf(account, raw),
          },
          { key },
        );
      const { hash } = expectAnswer("the first badge", await submit(first, "one"), minted);
      await aptos.waitForTransaction({ transactionHash: hash });
      const before = await sponsorshipsOf(aptosFund.fundId);
      expect(await post("sponsor", { chain: "aptos", sender, payload: mint(sender) })).toMatchObject(
        failed(/Move abort/),
      );
      const badge = entryFunction(`${APTOS_DEMO_MODULE}::mint`, [new MoveString("badge"), account.accountAddress]);
      const second = await rawTransaction(sender, badge, { sequenceNumber: 1n });
      expect(await submit(second, "two")).toMatchObject(failed(/Move abort/));
      expect((await sponsorshipsOf(aptosFund.fundId)).length).toBe(before.length);
    },
  );
});

describe("on Sui", () => {
  longTest.each([
    ["a budget of the caller's", { gasBudget: "5000000" }],
    ["a budget by a dry run", {}],
  ])("a call that aborts is refused with %s, and holds nothing", async (_, budget) => {
    const before = await sponsorshipRows(suiFund.fundId);
    const body = { transactionKind: toBase64(await incrementKind(0n)), sender: newUser().toSuiAddress(), ...budget };
    expect(await post("sponsor", body)).toMatchObject(failed(/abort/i));
    expect(await sponsorshipRows(suiFund.fundId)).toEqual(before);
  });

  shortTest("a budget that is too low for the call is refused, and holds nothing", async () => {
    const before = await sponsorshipRows(suiFund.fundId);
    const body = {
      transactionKind: toBase64(await incrementKind()),
      sender: newUser().toSuiAddress(),
      gasBudget: "1000000",
    };
    expect(await post("sponsor", body)).toMatchObject({ status: 422, body: { error: { code: "transaction_failed" } } });
    expect(await sponsorshipRows(suiFund.fundId)).toEqual(before);
  });

  longTest("a call that succeeds is prepared with the caller's budget", async () => {
    const body = {
      transactionKind: toBase64(await incrementKind()),
      sender: newUser().toSuiAddress(),
      gasBudget: "9000000",
    };
    expect(await post("sponsor", body)).toMatchObject({ status: 200 });
  });
});
