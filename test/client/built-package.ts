import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildClientPackage, type ClientPackage } from "../../shared/cli/pack/build.ts";

let built: Promise<ClientPackage> | null = null;

/** The package, built once a process. */
export function clientPackage(): Promise<ClientPackage> {
  built ??= buildClientPackage();
  return built;
}

/** Writes the files of the package into a folder, as an install would. */
export async function unpack({ files }: ClientPackage, directory: string): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
}
