import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import * as z from "zod";
import { type Bundle, root } from "../../shared/cli/build.ts";

const sourceMapSchema = z.object({ sources: z.array(z.string()) });

/** Files of this repository that went into a bundle, from its source map: dependencies left out. */
export async function bundledSources({ directory, scriptPath }: Bundle): Promise<readonly string[]> {
  const { sources } = sourceMapSchema.parse(JSON.parse(await readFile(`${scriptPath}.map`, "utf8")));
  return sources
    .map((source) => relative(root, join(directory, source)))
    .filter((path) => !/node_modules\//.test(path));
}

/** What is deployed is made of `functions/` and `shared/`: the development chain and other tests' code never are. */
export function belongsInBundle(path: string): boolean {
  return (
    /^(functions|shared)\//.test(path) &&
    !/^(shared\/cli|functions\/service\/admin\/cli|functions\/example\/page)\//.test(path)
  );
}
