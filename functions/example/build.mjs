// Bundles the example's page into `assets.generated.js`, which the Worker imports like any module. wrangler runs this
// before it bundles the Worker, see `[build]` in wrangler.toml. Plain JavaScript: any Node runs it.

import { readFile, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

async function bundled(entry, options) {
  const { outputFiles } = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    write: false,
    logLevel: "warning",
    ...options,
  });
  return outputFiles[0].text;
}

const assets = {
  html: await readFile(here("page/index.html"), "utf8"),
  css: await bundled("page/style.css", {}),
  js: await bundled("page/main.ts", { format: "esm" }),
  icon: await readFile(here("page/icon.svg"), "utf8"),
};
const path = here("assets.generated.js");
// Two builds may run at once, and nobody may read half a file.
const scratch = `${path}.${process.pid}`;
await writeFile(
  scratch,
  `// Made by build.mjs.\n${Object.entries(assets)
    .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};\n`)
    .join("")}`,
);
await rename(scratch, path);
