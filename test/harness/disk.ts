import { createHash, createHmac } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { nodeSql } from "../devchain/node-sql.ts";
import { DUE_ROWS } from "../support/fund/due-rows.ts";

const ID_HALF_BYTES = 16;

/** Names the file of an object, as `workerd` derives its id from the names of the class and of the object. */
export function objectFile(stateDirectory: string, className: string, name: string): string {
  const uniqueKey = `service-${className}`;
  const key = createHash("sha256").update(uniqueKey).digest();
  const half = (data: string | Buffer) => createHmac("sha256", key).update(data).digest().subarray(0, ID_HALF_BYTES);
  const first = half(name);
  const id = Buffer.concat([first, half(first)]).toString("hex");
  return join(stateDirectory, "objects", uniqueKey, `${id}.sqlite`);
}

/** Names the file of a fund. */
export function fundFile(stateDirectory: string, fundId: string): string {
  return objectFile(stateDirectory, "Fund", fundId);
}

/** What the one fund of a service has on disk, beside what any API shows. Read while the service is down. */
export interface OnDisk {
  /** Number of coins by state; those that are gone left out. */
  readonly coins: Readonly<Record<string, number>>;
  /** Kinds of what is still to be done. */
  readonly due: readonly string[];
  readonly pendingOwn: number;
}

/** `workerd` keeps each object in a file of its own, below the `uniqueKey` of its class. */
export async function fundOnDisk(stateDirectory: string): Promise<OnDisk> {
  const objects = join(stateDirectory, "objects");
  const [directory, ...others] = (await readdir(objects)).filter((name) => name.endsWith("-Fund"));
  if (directory === undefined || others.length > 0) throw new Error("not exactly one class of funds");
  const files = (await readdir(join(objects, directory))).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  const [file] = files;
  if (file === undefined || files.length > 1) throw new Error("not exactly one fund");
  const sql = nodeSql(join(objects, directory, file));
  const coins = sql.exec("SELECT state, COUNT(*) AS count FROM coin WHERE state <> 'gone' GROUP BY state");
  return {
    coins: Object.fromEntries(coins.map(({ state, count }) => [String(state), Number(count)])),
    due: sql.exec(`SELECT DISTINCT kind FROM (${DUE_ROWS}) ORDER BY kind`).map(({ kind }) => String(kind)),
    pendingOwn: sql.exec("SELECT 1 FROM own_transaction WHERE state = 'pending'").length,
  };
}
