import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { limitedTo } from "../../shared/durable/sql.ts";

test("a statement reads as many rows as its limit says", async () => {
  const read = await runInDurableObject(env.FUND.getByName("limits"), (_, { storage: { sql } }) => {
    const values = "SELECT value FROM json_each('[1, 2, 3]')";
    return [0, 2, 9].map((count) => sql.exec(`${values} ${limitedTo(count)}`).toArray().length);
  });
  expect(read).toEqual([0, 2, 3]);
});

test("what is not a count of rows cannot become part of a statement", () => {
  for (const count of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])
    expect(() => limitedTo(count)).toThrow("is not a count of rows");
});
