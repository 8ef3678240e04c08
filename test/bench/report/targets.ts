import type { Comparison, RouteFigures, Spread } from "./comparison.ts";
import { verdict } from "./goals.ts";
import { layOut, range } from "./table.ts";

/** A figure that no comparison of routes has. Its spread is over rounds, or has one value. */
export interface Figure {
  readonly name: FigureName;
  readonly spread: Spread;
}

export type FigureName =
  | "unused sponsorship, CPU µs"
  | "Aptos gasless, calls of the node"
  | "settled on Sui/s"
  | "settled on Aptos/s"
  | "bundle, KiB"
  | "start, CPU ms over an empty Worker";

/** What the parts of a run have measured. */
export interface Measured {
  readonly comparisons: readonly Comparison[];
  readonly figures: readonly Figure[];
}

interface Target {
  readonly name: string;
  /** The part of the bench that measures it. */
  readonly part: string;
  readonly unit: string;
  readonly digits: number;
  readonly limit: { readonly most: number } | { readonly least: number };
  readonly of: (measured: Measured) => Spread | null;
}

/** Returns the figure of one route of a comparison. */
function of(method: string, callers: number, route: string, pick: (figures: RouteFigures) => Spread): Target["of"] {
  return ({ comparisons }) => {
    const compared = comparisons.find((comparison) => comparison.method === method && comparison.callers === callers);
    const figures = compared?.routes.find(({ name }) => name === route);
    return figures === undefined ? null : pick(figures);
  };
}

function figure(name: FigureName): Target["of"] {
  return ({ figures }) => figures.find((each) => each.name === name)?.spread ?? null;
}

const RATIO = { unit: "×", digits: 2 };
const MICROS = { unit: "µs", digits: 0 };
const PER_SECOND = { unit: "/s", digits: 0 };
const cpuRatio = ({ serviceCpu }: RouteFigures) => serviceCpu;
const requestsRatio = ({ serviceRequests }: RouteFigures) => serviceRequests;
const cpu = ({ cpuMicros }: RouteFigures) => cpuMicros;

/** The CPU of the bare route on the machine for which the goals in µs were set. */
const BARE_WHERE_SET_MICROS = 416;

interface MicrosGoal {
  readonly name: string;
  readonly part: string;
  readonly mostMicros: number;
  readonly of: Target["of"];
  readonly ofBare: Target["of"];
  /** The parts that measure the multiple of bare. Absent: the same part. */
  readonly partsOfBare?: string;
}

/**
 * Judges a goal in µs twice: as it is, and as a multiple of the bare route of this run. A slower machine takes longer for
 * both routes. Other load on the machine does not change both by the same factor.
 */
function inMicrosAndByBare({ name, part, mostMicros, of, ofBare, partsOfBare = part }: MicrosGoal): readonly Target[] {
  const mostOfBare = Math.round((100 * mostMicros) / BARE_WHERE_SET_MICROS) / 100;
  return [
    { name, part, ...MICROS, limit: { most: mostMicros }, of },
    { name: `${name} / bare`, part: partsOfBare, ...RATIO, limit: { most: mostOfBare }, of: ofBare },
  ];
}

/** Divides a figure in µs by the CPU of the bare route, which another part of the run has measured. */
function byBare(name: FigureName): Target["of"] {
  return (measured) => {
    const micros = figure(name)(measured);
    const bare = of("sponsor", 64, "bare", cpu)(measured);
    if (micros === null || bare === null) return null;
    return { median: micros.median / bare.median, min: micros.min / bare.max, max: micros.max / bare.min };
  };
}

/** What the service is meant to reach on a quiet machine, once it is warm. Medians are judged. */
export const TARGETS: readonly Target[] = [
  {
    name: "sponsor, 64 callers: CPU / bare",
    part: "calls",
    ...RATIO,
    limit: { most: 1.1 },
    of: of("sponsor", 64, "bare", cpuRatio),
  },
  {
    name: "sponsor, 64 callers: requests / floor",
    part: "calls",
    ...RATIO,
    limit: { least: 1.1 },
    of: of("sponsor", 64, "floor", requestsRatio),
  },
  {
    name: "sponsor, 8 callers: requests / bare",
    part: "calls",
    ...RATIO,
    limit: { least: 0.85 },
    of: of("sponsor", 8, "bare", requestsRatio),
  },
  ...inMicrosAndByBare({
    name: "sponsor, 300 a second with look-ups: CPU",
    part: "settle",
    mostMicros: 1_300,
    of: figure("unused sponsorship, CPU µs"),
    ofBare: byBare("unused sponsorship, CPU µs"),
    partsOfBare: "calls settle",
  }),
  ...inMicrosAndByBare({
    name: "prepare and execute, 64 callers: CPU",
    part: "calls",
    mostMicros: 2_200,
    of: of("prepare and execute", 64, "service", cpu),
    ofBare: of("prepare and execute", 64, "bare", cpuRatio),
  }),
  {
    name: "sign, 64 callers: CPU / floor",
    part: "wallets",
    ...RATIO,
    limit: { most: 1.25 },
    of: of("sign", 64, "floor", cpuRatio),
  },
  {
    name: "create, 64 callers: requests / floor",
    part: "wallets",
    ...RATIO,
    limit: { least: 1 },
    of: of("create", 64, "floor", requestsRatio),
  },
  {
    name: "session, hkdf, 64 callers: requests / floor",
    part: "wallets",
    ...RATIO,
    limit: { least: 0.65 },
    of: of("session, hkdf", 64, "floor", requestsRatio),
  },
  ...inMicrosAndByBare({
    name: "Aptos gasless, 64 callers: CPU",
    part: "aptos",
    mostMicros: 2_400,
    of: of("Aptos gasless", 64, "service", cpu),
    ofBare: of("Aptos gasless", 64, "bare", cpuRatio),
  }),
  {
    name: "Aptos gasless: calls of the node",
    part: "aptos",
    unit: "",
    digits: 2,
    limit: { most: 2 },
    of: figure("Aptos gasless, calls of the node"),
  },
  {
    name: "gateway, 64 callers: CPU / bare handler",
    part: "gateway",
    ...RATIO,
    limit: { most: 1.1 },
    of: of("gateway", 64, "bare handler", cpuRatio),
  },
  {
    name: "settled on Sui, a node 100 ms away",
    part: "settle",
    ...PER_SECOND,
    limit: { least: 1_000 },
    of: figure("settled on Sui/s"),
  },
  {
    name: "settled on Aptos, a node 100 ms away",
    part: "settle",
    ...PER_SECOND,
    limit: { least: 1_000 },
    of: figure("settled on Aptos/s"),
  },
  {
    name: "bundle without the dashboard, gzip",
    part: "start",
    unit: "KiB",
    digits: 0,
    limit: { most: 280 },
    of: figure("bundle, KiB"),
  },
  {
    name: "start: CPU beyond an empty Worker",
    part: "start",
    unit: "ms",
    digits: 0,
    limit: { most: 50 },
    of: figure("start, CPU ms over an empty Worker"),
  },
];

function row({ name, part, unit, digits, limit, of }: Target, measured: Measured): readonly string[] {
  const bound = "most" in limit ? `≤ ${limit.most}` : `≥ ${limit.least}`;
  const goal = `${bound} ${unit}`.trim();
  const spread = of(measured);
  if (spread === null) return [name, "", "", goal, `not measured: ${part}`];
  const isKept = "most" in limit ? spread.median <= limit.most : spread.median >= limit.least;
  const median = `${spread.median.toFixed(digits)} ${unit}`.trim();
  return [name, median, range(spread, digits), goal, verdict(isKept)];
}

/** Writes a line for each target, with its verdict, or the part that measures it if this run has not. */
export function targetTable(measured: Measured): string {
  const head = ["", "median", "min–max", "goal", "verdict"];
  return layOut([head, ...TARGETS.map((target) => row(target, measured))]);
}
