import { PAGE_OF_WHOLE } from "../../../functions/service/admin/route/fields.ts";
import { median } from "../load.ts";
import { spreadOf } from "../report/comparison.ts";
import { verdict } from "../report/goals.ts";
import { layOut, range } from "../report/table.ts";
import { cpuMicrosOf, type Route } from "../route.ts";

const DOWNLOADS = 3;
const MICROS_PER_MS = 1_000;
const LINE_FEED = 10;

/** A list to download. */
export interface Download {
  readonly route: Route;
  /** It has at least so many rows. */
  readonly rows: number;
}

/** Downloads a whole list as CSV, and returns the CPU of the service's process for each page, ms. */
async function pageCpuMs({ route, rows }: Download): Promise<readonly number[]> {
  const { url, headers, process } = route;
  const cpuMicros = () => cpuMicrosOf(process.pid());
  let before = await cpuMicros();
  const pagesMs: number[] = [];
  const endPage = async () => {
    const now = await cpuMicros();
    pagesMs.push((now - before) / MICROS_PER_MS);
    before = now;
  };
  const { body } = await fetch(url, { headers });
  if (body === null) throw new Error(`${url} has no body`);
  // The first line is the header.
  let lines = -1;
  for await (const chunk of body) {
    for (const byte of chunk) if (byte === LINE_FEED) lines += 1;
    if (lines >= (pagesMs.length + 1) * PAGE_OF_WHOLE) await endPage();
  }
  if (lines > pagesMs.length * PAGE_OF_WHOLE) await endPage();
  if (lines < rows) throw new Error(`${url} has ${lines} rows, and not ${rows}`);
  return pagesMs;
}

/** Downloads whole lists, and writes the CPU of their pages. Of each page, the median of all downloads counts. */
export async function downloadTable(downloads: readonly Download[], limitMs: number): Promise<string> {
  const lines: (readonly string[])[] = [];
  for (const download of downloads) {
    const all: (readonly number[])[] = [];
    for (let round = 1; round <= DOWNLOADS; round += 1) {
      console.log(`${download.route.name}: download ${round} of ${DOWNLOADS}`);
      all.push(await pageCpuMs(download));
    }
    const pages = (all[0] ?? []).map((_, page) => median(all.map((pagesMs) => pagesMs[page] ?? Number.NaN)));
    const cpuMs = spreadOf(pages);
    const totalMs = pages.reduce((sum, pageMs) => sum + pageMs, 0);
    lines.push([
      `${download.route.name}: ${pages.length} pages`,
      cpuMs.median.toFixed(1),
      range(cpuMs, 1),
      totalMs.toFixed(0),
      verdict(cpuMs.max <= limitMs),
    ]);
  }
  return layOut([["", "CPU ms a page", "min–max", "CPU ms of all", `each ${limitMs} ms`], ...lines]);
}
