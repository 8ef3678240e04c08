import { test } from "vitest";
import { assertNothingIsLost } from "./kills.ts";

test("20 SIGKILLs under load lose nothing, lend nothing twice and leave nothing stuck", () =>
  assertNothingIsLost(20, 20_261_122));
