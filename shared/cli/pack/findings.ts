import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../root.ts";
import type { ClientPackage } from "./build.ts";

/** The file that keeps the public API as it was accepted. */
export const API_FILE = "shared/client/package/api.d.ts.txt";

/** The limit of each entry in gzip. */
export const MAX_GZIP_BYTES: Readonly<Record<string, number>> = {
  index: 8_192,
  aptos: 2_048,
  webhooks: 2_048,
  flows: 10_240,
};

/** Returns a line for each limit that the package exceeds, and one if its public API is not the accepted one. */
export async function clientFindings({ gzipBytes, api }: ClientPackage): Promise<readonly string[]> {
  const sizes = Object.entries(gzipBytes).flatMap(([entry, bytes]) => {
    const limit = MAX_GZIP_BYTES[entry] ?? 0;
    return bytes <= limit
      ? []
      : [`the entry ${entry} of the package has ${bytes} bytes in gzip: at most ${limit} are allowed`];
  });
  const accepted = await readFile(join(root, API_FILE), "utf8").catch(() => "");
  return accepted === api
    ? sizes
    : [
        ...sizes,
        `${difference(accepted, api)}: if every user of the package can take that, run npm run pack:client -- --accept-api`,
      ];
}

/** Names the first line of the public API that differs. */
function difference(accepted: string, api: string): string {
  const [before, now] = [accepted.split("\n"), api.split("\n")];
  const index = now.findIndex((line, at) => line !== before[at]);
  const at = index < 0 ? now.length : index;
  return `the public API of the package has changed at ${API_FILE}:${at + 1} from \`${before[at]?.trim() ?? "its end"}\` to \`${now[at]?.trim() ?? "its end"}\``;
}
