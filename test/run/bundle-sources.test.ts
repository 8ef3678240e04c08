import { expect, test } from "vitest";
import { build, DEVELOPMENT_CHAIN, SERVICE } from "../../shared/cli/build.ts";
import { belongsInBundle, bundledSources } from "./bundle-sources.ts";

test("the deployed bundle holds nothing of the development chain, nor anything else of test/", async () => {
  const sources = await bundledSources(await build(SERVICE));
  expect(sources).toContain("functions/index.ts");
  expect(sources).toContain("shared/fund/sui/sponsorships.ts");
  expect(sources.filter((path) => !belongsInBundle(path))).toEqual([]);
});

test("a bundle that does hold some of it is noticed", async () => {
  const sources = await bundledSources(await build(DEVELOPMENT_CHAIN));
  expect(sources.filter((path) => !belongsInBundle(path))).toContain("test/devchain/worker.ts");
});
