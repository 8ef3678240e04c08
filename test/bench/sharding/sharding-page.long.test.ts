import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../shared/cli/root.ts";
import { laneTables } from "./sharding.ts";

test("the page shows the figures that the simulation prints", async () => {
  const page = await readFile(join(root, "test/bench/sharding/README.md"), "utf8");
  for (const table of laneTables()) expect(page).toContain(table);
});
