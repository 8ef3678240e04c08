import { copyFile, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { root } from "./root.ts";

const SOURCES = join(root, "functions/example/page");
const DIRECTORY = join(root, "dist/example-page");

const BUNDLED = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
} satisfies BuildOptions;

let building: Promise<string> | null = null;

/**
 * Bundles the page of the example, once a process. The deployed bundle holds nothing of it.
 *
 * @returns the directory of its files, or null if these variables leave the example off.
 */
export function examplePageFor({ EXAMPLE }: { readonly EXAMPLE?: string }): Promise<string | null> {
  if (EXAMPLE !== "on") return Promise.resolve(null);
  building ??= buildPage();
  return building;
}

async function buildPage(): Promise<string> {
  await mkdir(DIRECTORY, { recursive: true });
  await Promise.all([
    write("index.html", (path) => copyFile(join(SOURCES, "index.html"), path)),
    write("icon.svg", (path) => copyFile(join(SOURCES, "icon.svg"), path)),
    write("page.css", (outfile) => build({ ...BUNDLED, entryPoints: [join(SOURCES, "style.css")], outfile })),
    write("page.js", (outfile) => build({ ...BUNDLED, entryPoints: [join(SOURCES, "main.ts")], outfile })),
  ]);
  return DIRECTORY;
}

/** Two processes may build at the same time, and no reader may see half a file. */
async function write(name: string, make: (path: string) => Promise<unknown>): Promise<void> {
  const scratch = join(DIRECTORY, `.${process.pid}-${name}`);
  await make(scratch);
  await rename(scratch, join(DIRECTORY, name));
}
