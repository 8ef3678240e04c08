import * as z from "zod";
import { type AdminAccess, adminCall } from "../../shared/cli/client/admin.ts";
import { expectAnswer } from "../../shared/cli/client/http.ts";

const PAGE = 200;

/** Reads every row of a list of the admin API, in the order of the list. */
export async function everyRow<Row extends z.ZodType>(
  access: AdminAccess,
  path: string,
  row: Row,
): Promise<z.output<Row>[]> {
  const pageSchema = z.object({ items: z.array(row), nextCursor: z.string().nullable() });
  const rows: z.output<Row>[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const answer = await adminCall(access, "GET", `${path}?limit=${PAGE}${query}`);
    const page: z.output<typeof pageSchema> = expectAnswer(`listing ${path}`, answer, pageSchema);
    rows.push(...page.items);
    cursor = page.nextCursor;
  }
  return rows;
}
