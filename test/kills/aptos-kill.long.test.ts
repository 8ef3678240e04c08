import { test } from "vitest";
import { assertNothingIsLostOnAptos } from "./aptos-kills.ts";

test("20 SIGKILLs under load lose nothing of an Aptos fund, pay nothing twice and leave nothing stuck", () =>
  assertNothingIsLostOnAptos(20, 20_261_124));
