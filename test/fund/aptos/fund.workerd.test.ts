import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { rounds } from "../../support/rounds.ts";
import { APTOS_COMMON, assertAptosGuarantees } from "../simulation/aptos-properties.ts";
import { aptosSqlite } from "../simulation/aptos-store-views.ts";

const FULL = 400;
const ROUNDS = rounds(FULL);
/** So few reach only the most common cases. */
const required = ROUNDS < FULL ? [] : APTOS_COMMON;

test(`guarantees 1 to 7 hold through ${ROUNDS} random simulations of an Aptos fund, on SQLite`, {
  timeout: 300_000,
}, async () => {
  await runInDurableObject(env.FUND.getByName("aptos_properties"), (_, { storage }) => {
    assertAptosGuarantees(() => aptosSqlite(storage), ROUNDS, 50, required);
  });
});
