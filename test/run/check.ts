import { join } from "node:path";
import { build, root, SERVICE } from "../../shared/cli/build.ts";
import { buildClientPackage } from "../../shared/cli/pack/build.ts";
import { clientFindings } from "../../shared/cli/pack/findings.ts";
import { pageFindings, readPages, readTree } from "../docs/pages.ts";
import { snippetFindings } from "../docs/snippets.ts";
import { bundleSize, kib, MAX_GZIP_KIB, sizeFindings } from "./bundle-size.ts";
import { belongsInBundle, bundledSources } from "./bundle-sources.ts";
import { forbiddenLicences } from "./licences.ts";
import { differencesOfTwins, fundSources } from "./twins.ts";

// Finds what the type checker and the linter cannot see. It prints one line a finding, and exits with 1 if there is one.
const [licences, contractLicences] = [
  await forbiddenLicences(root),
  await forbiddenLicences(join(root, "test/stock-clients")),
];
const bundle = await build(SERVICE);
const sources = await bundledSources(bundle);
const size = await bundleSize(bundle);
const client = await buildClientPackage();
const tree = await readTree();
const pages = await readPages(tree);
const findings = [
  ...[...licences.offenders, ...contractLicences.offenders].map((offender) => `licence not allowed: ${offender}`),
  ...pageFindings(pages, tree),
  ...snippetFindings(pages),
  ...differencesOfTwins(fundSources(root, "sui"), fundSources(root, "aptos")),
  ...sources.filter((path) => !belongsInBundle(path)).map((path) => `must not be in the bundle: ${path}`),
  ...sizeFindings(size),
  ...(await clientFindings(client)),
];
for (const finding of findings) console.error(finding);
console.log(
  `${licences.checked + contractLicences.checked} licences, ${sources.length} bundled sources of ${kib(size.gzipBytes - size.dashboardGzipBytes)} of ${MAX_GZIP_KIB} KiB in gzip and ${kib(size.dashboardGzipBytes)} of the dashboard, ${pages.length} pages: ${findings.length} findings`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
