import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Env } from "../../shared/bindings/env.ts";
import type { ServiceReport } from "../../shared/directory/service-report.ts";
import { runServiceRound } from "../../shared/directory/service-round.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("an object that hangs counts as unreadable after 20 s, and ends no round", async () => {
  const reports: ServiceReport[] = [];
  const hangs = () => new Promise(() => {});
  const page = (items: readonly string[]) => ({ items, nextCursor: null });
  const env = {
    DIRECTORY: {
      getByName: () => ({
        projects: async () => page(["prj_1", "prj_2"]),
        takeReport: async (report: ServiceReport) => void reports.push(report),
      }),
    },
    PROJECT: {
      getByName: (name: string) =>
        name === "prj_1"
          ? { resources: hangs }
          : { resources: async () => page(["fund_1"]), metrics: async () => null },
    },
    FUND: { getByName: () => ({ check: hangs }) },
  } as unknown as Env;
  const lines: string[] = [];
  const round = runServiceRound(env, {
    log: (event) => void lines.push(event),
    randomBytes: (length) => new Uint8Array(length),
  });
  await vi.advanceTimersByTimeAsync(40_000);
  await round;
  expect(reports).toMatchObject([{ projects: 2, funds: 1, unreadable: 2 }]);
  expect(lines).toEqual(["project.check_failed", "fund.check_failed"]);
});
