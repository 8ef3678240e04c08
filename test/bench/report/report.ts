import { mkdir, writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { root } from "../../../shared/cli/root.ts";
import { svgOf } from "./svg.ts";
import { tableOf } from "./table.ts";
import { type Measured, targetTable } from "./targets.ts";

/** Git ignores this folder. */
const FOLDER = join(root, "dist/bench");

/** It stands at the head of every report, and says what each number includes. */
const HEAD = `All figures are of one run on this machine. The load generator shares the machine, so compare them only within it.
Each figure is the median of rounds; the rounds of all routes take turns. min–max are the least and the greatest round.
"service is 0.50 ×": the service takes half of this route's CPU, or answers half of its requests, in the same rounds.
CPU is user and system time of the route's own processes: workerd, or Node and Redis. Not included: the load generator
and the chain. The service's includes the background work that falls into its rounds, such as look-ups of digests.
service      the bundle that is deployed on workerd, with all checks and limits; each answer is durable (fsync) first.
before       the service of another checkout, if BENCH_BEFORE names one.
floor        the same runtime, object calls, durable commits and signatures; no parsing, rules, key check or log.
bare         one object call, one write that is not waited for, one signature.
peer         Hono on Node with the stock SDK, one token, one key pair. In memory: a crash forgets its coins and wallets.
  Redis            nothing durable.
  AOF each second  a crash loses up to a second of reservations and wallets.
  AOF each write   each write is synced before its answer, as the service does.
The peer has no limits, ledger, idempotency, expiry, recycling, settlement, webhooks or projects.`;

/** The load average before the bench began. If it is not near zero, others share the machine. */
const [LOAD_BEFORE = 0] = loadavg();

function machine(): string {
  const all = cpus();
  const cpu = `${all.length} × ${all[0]?.model.trim() ?? "unknown CPU"}`;
  return `${cpu}, load ${LOAD_BEFORE.toFixed(1)} before the bench, Node ${process.version}`;
}

/** Prints the targets and the comparisons as tables, and writes them as `report.txt`, `report.svg` and `report.json`. */
export async function writeReport(measured: Measured): Promise<void> {
  const { comparisons } = measured;
  const tables = [targetTable(measured), ...comparisons.map(tableOf)].join("\n\n");
  const text = `${machine()}\n\n${HEAD}\n\n${tables}\n`;
  const subtitle = `Medians of interleaved rounds; lines from the least to the greatest round. ${machine()}`;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, "report.txt"), text);
  await writeFile(join(FOLDER, "report.svg"), svgOf(comparisons, subtitle));
  await writeFile(join(FOLDER, "report.json"), `${JSON.stringify(measured, null, 2)}\n`);
  console.log(`\n${text}\nwritten to dist/bench: report.txt, report.svg, report.json`);
}
