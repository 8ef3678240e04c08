import { test } from "vitest";
import { killsOr } from "./kill-points.ts";
import { assertRecoveryRepeatsNothing } from "./recover-kills.ts";

test("SIGKILLs at every call of a recovery leave exact books, and no forgotten signature or payout executes again", () =>
  assertRecoveryRepeatsNothing(killsOr(60)));
