import { toBase64 } from "@mysten/sui/utils";
import { expect } from "vitest";
import * as z from "zod";
import { expectAnswer } from "../../../shared/cli/client/http.ts";
import { advance, gas, newKey } from "../../harness/harness.ts";
import { longTest, shortTest } from "../../support/rounds.ts";
import {
  BUDGET,
  BUDGET_MIST,
  fundWithKey,
  getFund,
  newUser,
  ownedObjects,
  prepare,
  refusalOf,
  signatureOf,
  sponsorshipRows,
  submitSponsored,
} from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";

const SPONSOR = "gas_sponsorTransactionBlock";
const PREPARE = "gas_prepareTransactionBlock";
const EXECUTE = "gas_executeTransactionBlock";
const TEN_MINUTES_MS = 600_000;

const lentSchema = z.object({
  result: z.looseObject({ txBytes: z.base64(), txDigest: z.string(), expireAtTime: z.int() }),
});
const executedSchema = z.object({ result: z.looseObject({ digest: z.string(), effects: z.unknown() }) });

/** Whoever is answered a moment later may hear in which checkpoint it is, too. */
function withoutCheckpoint(body: unknown): unknown {
  const { result, ...rest } = z.looseObject({ result: z.looseObject({}) }).parse(body);
  const { checkpoint, timestampMs, ...told } = result;
  return { ...rest, result: told };
}

function conflict(details: RegExp) {
  return {
    code: -32018,
    message: "Idempotency key reused",
    data: { reason: "idempotency_conflict", details: expect.stringMatching(details) },
  };
}

shortTest(
  "equal calls with one Idempotency-Key, at once and after a restart, are one sponsorship and one execution",
  async () => {
    const fund = await fundWithKey(4);
    const user = newUser();
    const params = [toBase64(await mintKind()), user.toSuiAddress(), BUDGET];
    const atOnce = async (method: string, args: readonly unknown[], name: string) => {
      const [one, ...others] = await Promise.all([1, 2, 3].map(() => gas(fund.key, method, args, name)));
      for (const { body } of others) expect(withoutCheckpoint(body)).toEqual(withoutCheckpoint(one?.body));
      return one;
    };
    const lent = async (method: string) => lentSchema.parse((await atOnce(method, params, "once"))?.body).result;
    const sponsored = z
      .looseObject({ signature: z.string() })
      .and(lentSchema.shape.result)
      .parse(await lent(SPONSOR));
    const prepared = await lent(PREPARE);
    const abandoned = lentSchema.parse((await gas(fund.key, PREPARE, params, "abandoned")).body).result;
    expect((await sponsorshipRows(fund.fundId)).map(({ digest }) => digest)).toEqual([
      abandoned.txDigest,
      prepared.txDigest,
      sponsored.txDigest,
    ]);
    expect((await getFund(fund.key)).inFlight).toBe(3n * BUDGET_MIST);

    const execution = [prepared.txDigest, await signatureOf(user, prepared)];
    const executed = executedSchema.parse((await atOnce(EXECUTE, execution, "once"))?.body).result;
    expect(executed.digest).toBe(prepared.txDigest);
    expect(await ownedObjects(user.toSuiAddress())).toHaveLength(1);

    await advance(TEN_MINUTES_MS + 1_000);
    expect((await gas(fund.key, SPONSOR, params, "once")).body).toMatchObject({ result: sponsored });
    expect((await gas(fund.key, PREPARE, params, "once")).body).toMatchObject({
      result: { txDigest: prepared.txDigest },
    });
    expect((await gas(fund.key, EXECUTE, execution, "once")).body).toMatchObject({
      result: { digest: executed.digest, effects: executed.effects },
    });
    // What nobody has signed is over after ten minutes, and its bytes are worth nothing to a caller.
    expect(refusalOf(await gas(fund.key, PREPARE, params, "abandoned"))).toMatchObject(
      conflict(/expired: use a new key/),
    );
    expect(await sponsorshipRows(fund.fundId)).toHaveLength(3);
    expect((await submitSponsored(user, sponsored)).status.success).toBe(true);
  },
);

longTest(
  "other params under the same key are -32018 and lend nothing; another method or access key has keys of its own",
  async () => {
    const fund = await fundWithKey(5);
    const { key: another } = await newKey(fund);
    const user = newUser();
    const sender = user.toSuiAddress();
    const kind = toBase64(await mintKind("one"));
    const first = await gas(fund.key, SPONSOR, [kind, sender, BUDGET], "key");
    expectAnswer("the first call", first, lentSchema);
    for (const params of [
      [toBase64(await mintKind("another")), sender, BUDGET],
      [kind, newUser().toSuiAddress(), BUDGET],
      [kind, sender, (BUDGET_MIST + 1n).toString()],
      [kind, sender],
      [kind, sender, BUDGET, "1000"],
    ])
      expect(refusalOf(await gas(fund.key, SPONSOR, params, "key"))).toEqual(conflict(/another request/));
    expect(await sponsorshipRows(fund.fundId)).toHaveLength(1);
    // The same call, written otherwise.
    const sameCall = await gas(fund.key, SPONSOR, [kind, sender.replace(/^0x0*/, "0x"), Number(BUDGET), null], "key");
    expect(sameCall.body).toEqual(first.body);

    expectAnswer("another method", await gas(fund.key, PREPARE, [kind, sender, BUDGET], "key"), lentSchema);
    expectAnswer("another access key", await gas(another, SPONSOR, [kind, sender, BUDGET], "key"), lentSchema);
    expect(await sponsorshipRows(fund.fundId)).toHaveLength(3);

    const prepared = await prepare(fund.key, await mintKind("one"), sender, BUDGET);
    const right = [prepared.txDigest, await signatureOf(user, prepared)];
    const wrong = [prepared.txDigest, "AAAA"];
    // A refusal uses no key up.
    expect(refusalOf(await gas(fund.key, EXECUTE, wrong, "key")).data.reason).toBe("bad_signature");
    expectAnswer("the execution", await gas(fund.key, EXECUTE, right, "key"), executedSchema);
    expect(refusalOf(await gas(fund.key, EXECUTE, wrong, "key"))).toEqual(conflict(/another request/));
  },
);
