import { test } from "vitest";
import { assertNoWalletIsLost } from "./wallet-kills.ts";

test("24 SIGKILLs, also in the middle of a re-seal, lose no wallet that anybody was told of", () =>
  assertNoWalletIsLost(24, 20_261_124));
