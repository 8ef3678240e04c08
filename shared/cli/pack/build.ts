import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import * as z from "zod";
import { root } from "../root.ts";
import { publicApi } from "./api.ts";
import { ENTRIES, readSources, withJsImports } from "./sources.ts";
import { tarball } from "./tarball.ts";
import { compileTypes, declarationsOf } from "./types.ts";

const PACKAGE = "shared/client/package";

/** The package as it would be published. */
export interface ClientPackage {
  /** Texts by their path in the package. */
  readonly files: ReadonlyMap<string, string>;
  readonly tarball: Buffer;
  /** `gasworks-<version>.tgz`. */
  readonly fileName: string;
  /** The public API as text, without comments. */
  readonly api: string;
  /** The size of each entry, in gzip. */
  readonly gzipBytes: Readonly<Record<string, number>>;
}

const packageSchema = z.object({ version: z.string() });

/** @throws LaunchError if the package would hold code of the server, or does not compile. */
export async function buildClientPackage(): Promise<ClientPackage> {
  const { version } = packageSchema.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  await mkdir(join(root, "dist"), { recursive: true });
  const scratch = await mkdtemp(join(root, "dist/.client-"));
  try {
    for (const [path, text] of [...(await readSources()), ["package.json", '{"type":"module"}'] as const]) {
      await mkdir(dirname(join(scratch, path)), { recursive: true });
      await writeFile(join(scratch, path), withJsImports(text));
    }
    const declarations = compileTypes(scratch);
    const bundles = await bundle(scratch);
    const files = new Map([
      ["package.json", `${JSON.stringify(manifest(version), null, 2)}\n`],
      ["README.md", await readFile(join(root, PACKAGE, "README.md"), "utf8")],
      ["LICENSE", await readFile(join(root, "LICENSE"), "utf8")],
      ...[...declarations].map(([path, text]) => [`types/${path}`, text] as const),
      ...Object.entries(bundles).map(([entry, text]) => [`${entry}.js`, text] as const),
    ]);
    return {
      files,
      tarball: tarball(files),
      fileName: `gasworks-${version}.tgz`,
      api: publicApi(declarations),
      gzipBytes: mapValues(bundles, (text) => gzipSync(text, { level: 9 }).length),
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Writes the tarball into `dist/client`. @returns its path. */
export async function writeTarball({ tarball, fileName }: ClientPackage): Promise<string> {
  const directory = join(root, "dist/client");
  await mkdir(directory, { recursive: true });
  // Two processes may build at the same time, and no reader may see half a file.
  const scratch = join(directory, `.${process.pid}-${fileName}`);
  await writeFile(scratch, tarball);
  await rename(scratch, join(directory, fileName));
  return join(directory, fileName);
}

function manifest(version: string) {
  const entry = (name: string) => ({ types: `./types/${declarationsOf(name)}`, default: `./${name}.js` });
  const others = Object.keys(ENTRIES).filter((name) => name !== "index");
  return {
    name: "gasworks",
    version,
    description: "Clients of Gasworks, a wallet, gas-sponsorship and node service for Sui and Aptos",
    license: "Apache-2.0",
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    exports: {
      ".": entry("index"),
      ...Object.fromEntries(others.map((name) => [`./${name}`, entry(name)])),
      "./package.json": "./package.json",
    },
  };
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A) => B): Readonly<Record<string, B>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

/** Bundles each entry alone. @returns the texts by entry. */
async function bundle(directory: string): Promise<Readonly<Record<string, string>>> {
  const { outputFiles } = await build({
    absWorkingDir: directory,
    entryPoints: { ...ENTRIES },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    charset: "utf8",
    logLevel: "silent",
    outdir: "/out",
    write: false,
  });
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path.replace(/^.*\/|\.js$/g, ""), text]));
}
