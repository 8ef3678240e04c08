import { expect, test } from "vitest";
import { createLog, type logLevels } from "../../shared/observe/log.ts";

const AT_MS = Date.UTC(2026, 10, 23, 12);

function written(least: (typeof logLevels)[number]) {
  const lines: string[] = [];
  const log = createLog(
    least,
    () => AT_MS,
    (line) => lines.push(line),
  );
  log("fault", { error: "a\nb" });
  log("fund.look_up_failed", { fund: "fund_1" });
  log("request", { status: 200 });
  log("request", { status: 503 });
  return lines.map((line) => ({ ...JSON.parse(line), isOneLine: !line.includes("\n") }));
}

test("a line is one JSON object with its time, its level and its event", () => {
  expect(written("info")).toEqual([
    { time: "2026-11-23T12:00:00.000Z", level: "error", event: "fault", error: "a\nb", isOneLine: true },
    expect.objectContaining({ level: "warn", event: "fund.look_up_failed", fund: "fund_1" }),
    expect.objectContaining({ level: "info", event: "request" }),
    expect.objectContaining({ level: "error", event: "request" }),
  ]);
});

test("lines below the least level are not written", () => {
  const events = (least: (typeof logLevels)[number]) => written(least).map(({ event, status }) => status ?? event);
  expect(events("debug")).toEqual(["fault", "fund.look_up_failed", 200, 503]);
  expect(events("warn")).toEqual(["fault", "fund.look_up_failed", 503]);
  expect(events("error")).toEqual(["fault", 503]);
});
