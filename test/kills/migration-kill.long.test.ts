import { test } from "vitest";
import { killsOr } from "./kill-points.ts";
import { assertMigrationLosesNothing } from "./migration-kills.ts";

test("SIGKILLs at every step of a migration from version 5 lose no row, keep none twice and leave the books exact", () =>
  assertMigrationLosesNothing(killsOr(21), 20_261_125));
