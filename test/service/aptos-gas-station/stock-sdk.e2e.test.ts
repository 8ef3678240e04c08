import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Ed25519Account, TransactionSubmitter } from "@aptos-labs/ts-sdk";
import { beforeAll, expect, test } from "vitest";
import type { ProjectFund } from "../../../shared/cli/client/funds.ts";
import { root } from "../../../shared/cli/root.ts";
import { createAptosSubmitter } from "../../../shared/client/aptos-submitter.ts";
import { APTOS_DEMO_MODULE } from "../../devchain/demo.ts";
import { blocksOf, readPage } from "../../docs/pages.ts";
import { chainUrl, serviceUrl } from "../../harness/harness.ts";
import {
  balanceOf,
  chainSeconds,
  chargeOf,
  expectReconciled,
  giveApt,
  newAccount,
  newAptosFund,
  newAptosKey,
  OCTAS_PER_APT,
} from "../../support/aptos.ts";
import { stockClient, wireSubmitter } from "../../support/aptos-station.ts";
import { figuresOf } from "../../support/operator.ts";

const increment = `${APTOS_DEMO_MODULE}::increment` as const;
const payTogether = `${APTOS_DEMO_MODULE}::pay_together` as const;

let fund: ProjectFund;
let key: string;
beforeAll(async () => {
  fund = await newAptosFund();
  key = (await newAptosKey(fund, { rights: ["gas"] })).key;
});

/** The vendor's wire by hand, and the client of this repository. */
const submitters: readonly (readonly [string, () => TransactionSubmitter])[] = [
  ["a submitter of the wire", () => wireSubmitter((path, init) => fetch(`${serviceUrl}${path}`, init), key)],
  ["our own submitter", () => createAptosSubmitter({ url: `${serviceUrl}/gs/v1`, key })],
];

const MAX_GAS_UNITS = 20_000;
const LIFE_SECONDS = 20;

/** As an app builds its transactions. The clocks of service and chain may be ahead, so the expiration is named. */
async function buildOptions() {
  return { maxGasAmount: MAX_GAS_UNITS, expireTimestamp: Number(await chainSeconds()) + LIFE_SECONDS };
}

/** Moves the clock of a process before its program runs. */
const CLOCK_AHEAD =
  "data:text/javascript,const now=Date.now;const ahead=Number(process.env.AHEAD_MS);Date.now=()=>now()+ahead;";

function addressOf(account: Ed25519Account) {
  return account.accountAddress;
}

test.each(submitters)("the stock SDK builds, signs and submits with %s, and the fund pays", async (_, submitter) => {
  const aptos = stockClient(submitter(), `${chainUrl}/aptos/v1`);
  const [user, first, second] = [newAccount(), newAccount(), newAccount()];
  const before = await figuresOf(fund.fundId);
  const transaction = await aptos.transaction.build.simple({
    sender: addressOf(user),
    withFeePayer: true,
    data: { function: increment, functionArguments: [] },
    options: await buildOptions(),
  });
  const alone = await aptos.signAndSubmitTransaction({ signer: user, transaction });

  for (const account of [first, second]) await giveApt(account.accountAddress.toString(), OCTAS_PER_APT);
  const receiver = newAccount().accountAddress;
  const multi = await aptos.transaction.build.multiAgent({
    sender: addressOf(first),
    secondarySignerAddresses: [addressOf(second)],
    withFeePayer: true,
    data: { function: payTogether, functionArguments: [receiver, 1, 2] },
    options: await buildOptions(),
  });
  const together = await aptos.transaction.submit.multiAgent({
    transaction: multi,
    senderAuthenticator: aptos.transaction.sign({ signer: first, transaction: multi }),
    additionalSignersAuthenticators: [aptos.transaction.sign({ signer: second, transaction: multi })],
  });

  for (const { hash } of [alone, together])
    expect(await aptos.waitForTransaction({ transactionHash: hash })).toMatchObject({ success: true });
  expect(await balanceOf(receiver.toString())).toBe(3n);
  await expectReconciled(fund);
  const charged = (await chargeOf(alone.hash)) + (await chargeOf(together.hash));
  expect(before.balance - (await figuresOf(fund.fundId)).balance).toBe(charged);
});

test("the app of the page about moving over runs as printed", async () => {
  const page = await readPage("shared/cli/move-over/geomi.md");
  const app = blocksOf(page.text).find(({ text }) => text.startsWith("// shared/cli/move-over/"))?.text ?? "";
  const here = app.replaceAll("http://127.0.0.1:8787", serviceUrl).replaceAll("http://127.0.0.1:8788", chainUrl);
  const aheadMs = Number(await chainSeconds()) * 1_000 - Date.now();
  const options = { cwd: root, env: { ...process.env, APTOS_KEY: key, AHEAD_MS: String(aheadMs) } };
  const args = ["--import", CLOCK_AHEAD, "--input-type=module-typescript", "--eval", here];
  const run = promisify(execFile)(process.execPath, args, options);
  expect((await run).stdout).toBe("true\n");
});
