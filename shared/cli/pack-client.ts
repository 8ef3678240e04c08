import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildClientPackage, writeTarball } from "./pack/build.ts";
import { API_FILE } from "./pack/findings.ts";
import { root } from "./root.ts";
import { exitCodeOf, isForPerson, parseOptions, print } from "./terminal.ts";

const USAGE = `Usage: npm run pack:client -- [options]

Builds the installable package "gasworks" for code that calls the service, and prints the path of its tarball.

  --accept-api            writes the package's public API into ${API_FILE}
  --help                  this text`;

try {
  const options = parseOptions(USAGE, { "accept-api": { type: "boolean" } });
  if (options !== null) {
    const built = await buildClientPackage();
    if (options["accept-api"]) await writeFile(join(root, API_FILE), built.api);
    print(await writeTarball(built));
  }
} catch (error) {
  console.error(isForPerson(error) ? error.message : error);
  process.exitCode = exitCodeOf(error);
}
