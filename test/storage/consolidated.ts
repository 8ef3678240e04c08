import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { migrations as accessKeyMigrations } from "../../shared/access/schema.ts";
import { root } from "../../shared/cli/root.ts";
import { migrations as fundMigrations, OLD_TABLES } from "../../shared/fund/migrations.ts";
import { dumpSql } from "./dump.ts";

/**
 * Writes the scripts by which new objects get their schema at once:
 *
 *     node --experimental-strip-types test/storage/consolidated.ts
 *
 * A script that ends before the newest migration stays right, because a new object runs the later ones, too. Raise a
 * `version` here, and run it, when later migrations cost a new object much.
 */

interface Subject {
  /** The file that has the script. */
  readonly path: string;
  readonly migrations: readonly string[];
  /** The last migration of the script. A release has it, so it never changes. */
  readonly version: number;
  /** The tables that the end of the migrations drops if they are empty. */
  readonly dropped: readonly string[];
}

export const subjects = {
  fund: { path: "shared/fund/consolidated.ts", migrations: fundMigrations, version: 8, dropped: OLD_TABLES },
  "access-key": { path: "shared/access/consolidated.ts", migrations: accessKeyMigrations, version: 7, dropped: [] },
} satisfies Readonly<Record<string, Subject>>;

/** Returns the dump of an object that has run the first so many migrations, and nothing else. */
export function dumpOf({ migrations, version, dropped }: Subject): string {
  const database = new DatabaseSync(":memory:");
  for (const migration of migrations.slice(0, version)) database.exec(migration);
  for (const table of dropped) database.exec(`DROP TABLE IF EXISTS ${table}`);
  return dumpSql(database);
}

/** Returns the dump of what a script makes. */
export function dumpAfter(script: string): string {
  const database = new DatabaseSync(":memory:");
  database.exec(script);
  return dumpSql(database);
}

/** Returns the source of a file with the script. One statement a line keeps it short. */
export function sourceOf(subject: Subject): string {
  const statements = dumpOf(subject)
    .split(/;\n(?=CREATE|INSERT|$)/)
    .filter((statement) => statement !== "")
    .map((statement) => `    ${JSON.stringify(statement)},\n`);
  return `import type { Consolidated } from "../durable/migrations.ts";

/** The schema that the first ${subject.version} migrations end with. \`test/storage/consolidated.ts\` has written it. */
export const CONSOLIDATED: Consolidated = {
  version: ${subject.version},
  script: [
${statements.join("")}  ].join(";"),
};
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  for (const subject of Object.values(subjects)) await writeFile(join(root, subject.path), sourceOf(subject));
