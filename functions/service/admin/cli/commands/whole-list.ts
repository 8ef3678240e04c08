import { CSV_TYPE } from "../../route/csv.ts";
import { NDJSON_TYPE } from "../../route/table.ts";
import { type Call, isOn } from "../command.ts";
import { CommandError } from "../exit-codes.ts";
import { isRecord } from "../flags.ts";
import type { ServiceCall } from "../service/service.ts";
import type { Connected } from "../session.ts";
import type { Item } from "../show/list.ts";
import { inertJson, inertLines } from "../terminal/inert.ts";
import { startProgress } from "../terminal/progress.ts";
import { say } from "../terminal/screen.ts";

/** The media type of a list that is printed as the service sends it. Null if it is a table or one JSON document. */
export function streamedType(call: Call): string | null {
  if (isOn(call, "ndjson")) return NDJSON_TYPE;
  return isOn(call, "csv") ? CSV_TYPE : null;
}

/** Prints a list line by line, as JSON or CSV. Without a limit it is the whole list. */
export async function printStream(
  { service, screen, clock }: Connected,
  call: ServiceCall,
  accept: string,
): Promise<void> {
  const progress = startProgress(
    screen.out.isTerminal ? { err: { ...screen.err, isTerminal: false } } : screen,
    "0 rows",
    clock.nowMs,
  );
  let rows = 0;
  try {
    for await (const line of service.lines({ ...call, accept })) {
      rows += 1;
      progress.show(`${rows} rows`);
      if (accept === NDJSON_TYPE) say(screen.out, inertJson(line));
      else screen.out.write(screen.out.isTerminal ? `${inertLines(line.replace(/\r$/, ""))}\n` : `${line}\n`);
    }
  } finally {
    progress.end();
  }
}

/** Reads a whole list. */
export async function wholeList({ service, screen, clock }: Connected, call: ServiceCall): Promise<readonly Item[]> {
  const items: Item[] = [];
  const progress = startProgress(screen, "0 rows", clock.nowMs);
  try {
    for await (const line of service.lines({ ...call, accept: NDJSON_TYPE })) {
      const item: unknown = JSON.parse(line);
      if (!isRecord(item))
        throw new CommandError(
          "fault",
          "the service sent a line that is not a JSON object: check the URL and its version",
        );
      items.push(item);
      progress.show(`${items.length} rows`);
    }
  } finally {
    progress.end();
  }
  return items;
}
