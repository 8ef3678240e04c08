import { test } from "vitest";
import { killsOr } from "./kill-points.ts";
import { assertRetentionLosesNothing } from "./retention-kills.ts";

test("SIGKILLs at every step of the archive lose no row, show none twice and leave the books exact", () =>
  assertRetentionLosesNothing(killsOr(21), 20_261_126));
