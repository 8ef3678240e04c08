import { expect, test } from "vitest";
import { AdmissionAtFund } from "../../shared/access/admission-at-fund.ts";
import { isMissingMethod } from "../../shared/durable/missing-method.ts";

const workerd = (method: string) => new TypeError(`The RPC receiver does not implement the method "${method}".`);
const runner = (method: string) => new TypeError(`The RPC receiver does not implement "${method}".`);

test.each([workerd, runner])("an earlier build is known by the name of the method that was called", (textOf) => {
  expect(isMissingMethod(textOf("recallLease"), "recallLease")).toBe(true);
  expect(isMissingMethod(textOf("recallLease"), "admitAndCall")).toBe(false);
  expect(isMissingMethod(textOf("recallLeases"), "recallLease")).toBe(false);
  expect(isMissingMethod(new Error(textOf("recallLease").message), "recallLease")).toBe(false);
});

test.each([workerd, runner])(
  "a call is not handed to the key if the fund lacks a method of another object",
  async (of) => {
    const missing = (method: string) =>
      new AdmissionAtFund(
        {
          keyId: "key_00000000000000000001",
          fundId: "fund_00000000000000000001",
          request: { secretHash: new Uint8Array(32), chain: "sui", calls: [["gas"]] },
          arrivedAtMs: 0,
        },
        () => ({ admitAndCall: () => Promise.reject(of(method)) }),
        () => {},
      );
    const earlier = missing("admitAndCall");
    expect(await earlier.call("view", null)).toMatchObject({ ok: false });
    expect(await earlier.verdict()).toBeNull();
    await expect(missing("archive").call("view", null)).rejects.toThrow('"archive"');
  },
);
