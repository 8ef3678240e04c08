import { test } from "vitest";
import { assertNothingIsLost } from "./kills.ts";

test(
  "guarantees 1, 2 and 6: 3 SIGKILLs under load lose nothing, reserve nothing twice and leave nothing stuck",
  { timeout: 300_000 },
  () => assertNothingIsLost(3, 20_261_121),
);
