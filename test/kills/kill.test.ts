import { test } from "vitest";
import { assertNothingIsLost } from "./kills.ts";

test("3 SIGKILLs under load lose nothing, lend nothing twice and leave nothing stuck", { timeout: 300_000 }, () =>
  assertNothingIsLost(3, 20_261_121),
);
