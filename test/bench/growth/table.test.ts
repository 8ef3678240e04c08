import { expect, test } from "vitest";
import { growthRow, growthTable } from "./table.ts";

function rounds(cpuMicros: readonly number[]) {
  return cpuMicros.map((cpu) => ({ requests: 1, cpuMicros: cpu, requestsPerSecond: 1, p50Ms: 2, p99Ms: 3 }));
}

const LEAST = { name: "sponsor", rounds: rounds([100, 200, 400]) };
const MOST = { name: "sponsor", rounds: rounds([110, 240, 360]) };

test("growth is the ratio to the least size within each round", () => {
  const row = growthRow(MOST, LEAST, { size: 4_000, residentMib: 80, diskBytesEach: 1_200 });
  expect(row.cpuToLeast.median).toBeCloseTo(1.1);
  expect(row.cpuToLeast.min).toBeCloseTo(0.9);
  expect(row.cpuToLeast.max).toBeCloseTo(1.2);
});

test("all axes are in one table, with size, call, CPU, growth, memory and disk", () => {
  const state = { size: 1_000, residentMib: 70, diskBytesEach: 300 };
  const small = growthRow(LEAST, LEAST, state);
  const large = growthRow(MOST, LEAST, { size: 4_000, residentMib: 80, diskBytesEach: 1_200 });
  const lines = growthTable([
    { axis: "coins", row: small },
    { axis: "coins", row: large },
    { axis: "wallets", row: small },
  ]).split("\n");
  expect(lines).toHaveLength(4);
  expect(lines[2]).toMatch(/^coins: 4000 +sponsor +240 +1\.10 +0\.90–1\.20 +2\.0 +80 +1200$/);
});
