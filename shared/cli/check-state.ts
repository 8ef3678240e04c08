import { access, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SCHEMA_VERSIONS } from "../directory/schema-versions.ts";
import { root } from "./root.ts";
import { exitCodeOf, isForPerson, LaunchError, parseOptions, print } from "./terminal.ts";

const USAGE = `Usage: npm run check-state -- [options]

Examines the objects of a stopped service: opens each file, verifies it, and names what is damaged, or was written by a
newer build than this one. Changes nothing. The exit code is 1 where something was found.

  --state <directory>     as npm run self-host has it; default .gasworks-workerd
  --help                  this text`;

const OPTIONS = { state: { type: "string" } } as const;
const OBJECT_FILE = /^[0-9a-f]{64}\.sqlite$/;
const SHOWN_ERRORS = 3;

/** The result of a check of a state directory. */
export interface StateReport {
  /** Files of each class of objects. */
  readonly counts: Readonly<Record<string, number>>;
  /** One line each, with the path. */
  readonly findings: readonly string[];
}

/** Checks every file of a state directory. An unreadable file does not hide the others. */
export async function checkState(stateDirectory: string): Promise<StateReport> {
  const objects = join(stateDirectory, "objects");
  const counts: Record<string, number> = {};
  const findings: string[] = [];
  const classes = await readdir(objects).catch(() => null);
  if (classes === null) throw new LaunchError(`${objects} does not exist: name the state's directory with --state`);
  for (const directory of classes) {
    const className = directory.replace(/^[a-z]+-/, "");
    const names: readonly string[] = await readdir(join(objects, directory)).catch(() => []);
    const files = names.filter((name) => OBJECT_FILE.test(name));
    counts[className] = files.length;
    for (const name of files) {
      const path = join(objects, directory, name);
      findings.push(...(await checkObject(path, SCHEMA_VERSIONS[className])).map((finding) => `${path}: ${finding}`));
    }
    // The file may hold the last commits of a database that is gone.
    for (const name of names.filter((one) => one.endsWith(".sqlite-wal")))
      if (!names.includes(name.replace(/-wal$/, "")))
        findings.push(`${join(objects, directory, name)}: its .sqlite file is missing`);
  }
  for (const className of ["Directory", "Project"])
    if (counts[className] === 0 || counts[className] === undefined) findings.push(`no ${className} is there`);
  return { counts, findings };
}

async function checkObject(path: string, knownVersion: number | undefined): Promise<readonly string[]> {
  try {
    await access(path);
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const damages = database
        .prepare("PRAGMA integrity_check")
        .all()
        .map((row) => String(row.integrity_check));
      const found = damages.filter((damage) => damage !== "ok").slice(0, SHOWN_ERRORS);
      const hasSchema = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").all().length > 0;
      const version = hasSchema
        ? Number(database.prepare("SELECT MAX(version) AS version FROM schema_version").get()?.version ?? 0)
        : 0;
      return knownVersion !== undefined && version > knownVersion
        ? [...found, `written by a newer build (schema ${version}, this build knows ${knownVersion})`]
        : found;
    } finally {
      database.close();
    }
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

async function main(): Promise<number> {
  const options = parseOptions(USAGE, OPTIONS);
  if (options === null) return 0;
  const { counts, findings } = await checkState(
    resolve(process.env.INIT_CWD ?? "", options.state ?? join(root, ".gasworks-workerd")),
  );
  for (const [className, count] of Object.entries(counts)) print(`${className.padEnd(16)} ${count}`);
  for (const finding of findings) print(finding);
  print(findings.length === 0 ? "All of it is sound." : `${findings.length} findings`);
  return findings.length === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(isForPerson(error) ? error.message : error);
    process.exitCode = exitCodeOf(error);
  }
}
