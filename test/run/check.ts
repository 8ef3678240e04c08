import { join } from "node:path";
import { build, root } from "../../shared/cli/build.ts";
import { belongsInBundle, bundledSources } from "./bundle-sources.ts";
import { forbiddenLicences } from "./licences.ts";

// What the type checker and the linter cannot see. One line a finding; the exit code says whether there is one.
const [licences, contractLicences] = [
  await forbiddenLicences(root),
  await forbiddenLicences(join(root, "test/stock-clients")),
];
const sources = await bundledSources(await build("service"));
const findings = [
  ...[...licences.offenders, ...contractLicences.offenders].map((offender) => `licence not allowed: ${offender}`),
  ...sources.filter((path) => !belongsInBundle(path)).map((path) => `must not be in the bundle: ${path}`),
];
for (const finding of findings) console.error(finding);
console.log(
  `${licences.checked + contractLicences.checked} licences, ${sources.length} bundled sources: ${findings.length} findings`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
