import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { harness, newFund, serviceUrl } from "../harness/harness.ts";

const FOLDER = join(import.meta.dirname, "../../shared/observe/prometheus");
const { PROMETHEUS = "prometheus", PROMTOOL = "promtool" } = process.env;
const authorization = `Bearer ${harness.adminToken}`;

/** Runs promtool in the folder of the rules. @returns what it has printed. Throws if it finds anything. */
function promtool(args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(PROMTOOL, [...args], { cwd: FOLDER }, (error, out, err) =>
      error === null ? resolve(out + err) : reject(new Error(`promtool ${args.join(" ")}: ${error.message} ${out}`)),
    );
    child.stdin?.end(input);
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = z.object({ port: z.int() }).parse(server.address());
  server.close();
  await once(server, "close");
  return port;
}

test("promtool finds nothing wrong with the metrics, the alert rules and their unit tests", async () => {
  await newFund();
  const response = await fetch(`${serviceUrl}/metrics`, { headers: { authorization, accept: "text/plain" } });
  expect(response.status).toBe(200);
  expect(await promtool(["check", "metrics"], await response.text())).toBe("");
  expect(await promtool(["check", "rules", "alerts.yml"])).toContain("SUCCESS");
  expect(await promtool(["test", "rules", "alerts.test.yml"])).toContain("SUCCESS");
});

test("a real Prometheus scrapes the service by its token, and knows its funds", async () => {
  const { fundId } = await newFund();
  const folder = await mkdtemp(join(tmpdir(), "gasworks-prometheus-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const job = {
    job_name: "gasworks",
    metrics_path: "/metrics",
    scrape_interval: "2s",
    scrape_timeout: "2s",
    authorization: { credentials: harness.adminToken },
    static_configs: [{ targets: [new URL(serviceUrl).host] }],
  };
  const config = { rule_files: [join(FOLDER, "alerts.yml")], scrape_configs: [job] };
  const configFile = join(folder, "prometheus.yml");
  // JSON is YAML, too.
  await writeFile(configFile, JSON.stringify(config));
  const port = await freePort();
  const prometheus = spawn(
    PROMETHEUS,
    [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: "ignore" },
  );
  onTestFinished(async () => {
    const ended = once(prometheus, "exit");
    if (prometheus.kill()) await ended;
  });
  const answer = z.object({
    data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
  });
  const query = async (expression: string) => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const response = await fetch(url).catch(() => null);
    if (response === null || !response.ok) return [];
    return answer.parse(await response.json()).data.result.map(({ value: [, text] }) => Number(text));
  };
  const patience = { timeout: 60_000, interval: 500 };
  await expect.poll(() => query('up{job="gasworks"}'), patience).toEqual([1]);
  await expect.poll(() => query(`gasworks_fund_balance_atoms{fund="${fundId}"} > 0`), patience).toHaveLength(1);
  await expect
    .poll(() => query(`sum(gasworks_fund_sponsorships_ended_total{fund="${fundId}"})`), patience)
    .toEqual([0]);
});
