import { runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import { platformStub, type TestFund } from "./sui-fund.ts";

const TABLES = { sponsorship_row: "digest", aptos_sponsorship_row: "id" } as const;

/** The disk takes no new row of a table, whatever else it takes: until the function that it returns is called. */
export async function failNewRows(fund: TestFund, table: keyof typeof TABLES, code: string): Promise<() => void> {
  let end = () => {};
  await runInDurableObject(platformStub(fund), (_, { storage }) => {
    const { sql } = storage;
    const exec = sql.exec.bind(sql);
    const spy = vi.spyOn(sql, "exec").mockImplementation((query, ...bindings) => {
      const isInsert = query.trimStart().startsWith(`INSERT INTO ${table} `);
      const known = () => exec(`SELECT 1 FROM ${table} WHERE ${TABLES[table]} = ?`, bindings[1]).toArray();
      if (isInsert && known().length === 0) throw new Error(`the disk refuses: ${code}`);
      return exec(query, ...bindings);
    });
    end = () => spy.mockRestore();
  });
  return end;
}

export const DISK_FAULTS = ["SQLITE_FULL", "SQLITE_IOERR_WRITE"] as const;
