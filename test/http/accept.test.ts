import fc from "fast-check";
import { Hono } from "hono";
import { accepts } from "hono/accepts";
import { expect, test } from "vitest";
import { preferredType } from "../../shared/http/accept.ts";

const SERVED = ["application/json", "text/csv", "application/x-ndjson"] as const;
const OTHER = "none of them";

const types = fc.constantFrom(...SERVED, "TEXT/CSV", "text/*", "application/*", "*/*", "*", "image/png", "text", "");
const parameters = fc.constantFrom(
  "",
  ";q=1",
  ";q=0",
  "; q=0.5",
  ";Q=0.2",
  ' ;a="b, text/csv;q=1";q=0.9',
  ";q=x",
  ";q=7",
);
const headers = fc
  .array(fc.tuple(types, parameters), { maxLength: 4 })
  .map((ranges) => ranges.map((range) => range.join("")).join(", "));

const byHono = new Hono().get("/", (c) =>
  c.text(accepts(c, { header: "Accept", supports: [...SERVED], default: OTHER })),
);

test("a header prefers the type that Hono finds in it", () =>
  fc.assert(
    fc.asyncProperty(headers, async (accept) => {
      const found = await byHono.request("/", { headers: { accept } });
      expect(preferredType(accept, SERVED) ?? OTHER).toBe(await found.text());
    }),
    { numRuns: 1_000 },
  ));
