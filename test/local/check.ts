import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { build, root } from "./build.ts";
import { forbiddenLicences } from "./licences.ts";

/** What the type checker and the linter cannot see. Prints one line a finding; the exit code says whether there is one. */

const findings: string[] = [];

const { checked, offenders } = await forbiddenLicences(root);
for (const offender of offenders) findings.push(`licence not allowed: ${offender}`);

const { scriptPath } = await build("service");
const { sources } = z
  .object({ sources: z.array(z.string()) })
  .parse(JSON.parse(await readFile(`${scriptPath}.map`, "utf8")));
const ours = sources
  .map((source) => join("/", "dist", "service", source))
  .filter((path) => !path.includes("node_modules"));
for (const path of ours)
  if (!/^\/(functions|shared)\//.test(path)) findings.push(`in the bundle, but not of it: ${path}`);

for (const finding of findings) console.error(finding);
console.log(`${checked} licences and ${ours.length} bundled sources checked: ${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
