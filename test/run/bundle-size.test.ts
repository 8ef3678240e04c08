import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build, DEVELOPMENT_CHAIN, root, SERVICE } from "../../shared/cli/build.ts";
import { bundleSize, MAX_DASHBOARD_GZIP_KIB, MAX_GZIP_KIB, sizeFindings } from "./bundle-size.ts";

test("the deployed bundle keeps its limit, and holds only the packages that it needs", async () => {
  const size = await bundleSize(await build(SERVICE));
  expect(sizeFindings(size)).toEqual([]);
  // The limits are of what the bundle holds: no package is counted under another name.
  expect([...size.bytesByPackage.keys()]).toContain("@mysten/sui");
});

test("a larger service, dashboard or package, and one more package, are findings", async () => {
  const { bytesByPackage } = await bundleSize(await build(SERVICE));
  const grown = new Map([...bytesByPackage, ["zod", 1_024 * 1_024], ["poseidon-lite", 1]] as const);
  const dashboardGzipBytes = MAX_DASHBOARD_GZIP_KIB * 1_024 + 1;
  const gzipBytes = MAX_GZIP_KIB * 1_024 + 1 + dashboardGzipBytes;
  expect(sizeFindings({ gzipBytes, dashboardGzipBytes, bytesByPackage: grown })).toEqual([
    "zod has 1024 KiB of the bundle: at most 122 are allowed",
    "poseidon-lite must not be in the bundle, or needs a limit in bundle-size.ts",
    "the service has 405 KiB in gzip: at most 404 are allowed, so remove 1 bytes",
    "the dashboard has 77 KiB in gzip: at most 76 are allowed",
  ]);
});

test("a package that only the development chain holds is noticed", async () => {
  const findings = sizeFindings(await bundleSize(await build(DEVELOPMENT_CHAIN)));
  expect(findings.some((finding) => finding.includes("must not be in the bundle"))).toBe(true);
});

test("the deployed bundle holds nothing of the example's page", async () => {
  const { scriptPath } = await build(SERVICE);
  const [script, page] = await Promise.all([
    readFile(scriptPath, "utf8"),
    readFile(join(root, "functions/example/page/index.html"), "utf8"),
  ]);
  expect(page).toContain("Mint without gas");
  expect(script).not.toContain("Mint without gas");
});
