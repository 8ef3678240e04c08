import { toBase64 } from "@mysten/sui/utils";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { expectAnswer } from "../../../shared/cli/client/http.ts";
import { admin, advance, giveSui, newEmptyFund, newKey } from "../../harness/harness.ts";
import { BUDGET, COIN_MIST, expectNothingHeld, getFund, newUser, refused, sponsor } from "../../support/sui-gas.ts";
import { mintKind } from "../../support/sui-transactions.ts";

const PATIENCE_MS = 60_000;
const ADVANCE_MS = 12_000;

const addressSchema = z.object({ depositAddress: z.string().regex(/^0x[0-9a-f]{64}$/) });

test(
  "a fund made without a deposit address has none until it is asked for, and then finds a deposit by itself",
  async () => {
    const { projectId, fundId, depositAddress } = await newEmptyFund({ createDepositAddress: false });
    const { key } = await newKey({ projectId, fundId });
    expect(depositAddress).toBeNull();
    expect(await getFund(key)).toMatchObject({ depositAddress: null, balance: 0n, inFlight: 0n });

    const kind = await mintKind();
    const sender = newUser().toSuiAddress();
    for (const method of ["gas_sponsorTransactionBlock", "gas_prepareTransactionBlock"])
      for (const terms of [[BUDGET], []])
        expect(await refused(key, method, [toBase64(kind), sender, ...terms])).toEqual({
          code: -2,
          message: "Fund balance too low",
          data: { reason: "balance_too_low", details: expect.stringContaining("no deposit address") },
        });
    await expectNothingHeld({ fundId, key });

    const made = expectAnswer(
      "asking for a deposit address",
      await admin("POST", `/funds/${fundId}/deposit-address`),
      addressSchema,
    );
    expect((await getFund(key)).depositAddress).toBe(made.depositAddress);
    const again = await admin("POST", `/funds/${fundId}/deposit-address`);
    expect(expectAnswer("asking again", again, addressSchema)).toEqual(made);

    // Most of the time until the fund looks again by itself passes at once; what remains passes without a restart.
    await advance(ADVANCE_MS);
    await giveSui(made.depositAddress, COIN_MIST);
    const found = { timeout: PATIENCE_MS, interval: 250 };
    await vi.waitUntil(async () => (await getFund(key)).balance === COIN_MIST, found);
    await sponsor(key, kind, sender, BUDGET);
  },
  2 * PATIENCE_MS,
);
