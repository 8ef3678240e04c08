import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { LOOPBACK } from "../../shared/cli/ports.ts";
import { refuseOtherSecrets, refuseUnhealthy } from "../../shared/cli/wrong-secrets.ts";

/** What stands for a service that was just started. */
async function serviceSaying(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => void response.writeHead(status).end(body)).listen(0, LOOPBACK);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  return `http://${LOOPBACK}:${typeof address === "object" && address !== null ? address.port : 0}`;
}

async function judge(status: number, body: string): Promise<readonly string[]> {
  const warned: string[] = [];
  await refuseUnhealthy(await serviceSaying(status, body), "secrets", (line) => void warned.push(line));
  return warned;
}

test("a start on the state of a newer build stops, and says what that has written", async () => {
  const body = '{"status":"newer_state","detail":"Fund at schema 99"}';
  await expect(judge(503, body)).rejects.toThrow("A newer build has written the state: Fund at schema 99");
});

test("a start goes on with what may pass, and tells it; a healthy service is not spoken of", async () => {
  expect(await judge(503, '{"status":"storage_failed","detail":"no room"}')).toEqual([
    "GET /health says storage_failed: no room",
  ]);
  expect(await judge(502, "not JSON")).toEqual(["GET /health says HTTP 502: not JSON"]);
  expect(await judge(200, '{"status":"ok"}')).toEqual([]);
});

test("a deployment of the workflows alone is not held up by a comparison that it has no token for", async () => {
  const url = await serviceSaying(404, "{}");
  const flows = {
    FLOWS_CALLER_SECRET: "0123456789012345678901234",
    FLOWS_SUI_KEY: "us1_sui_localnet_key",
    FLOWS_BASE_URL: "https://service.test",
  };
  const printed = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => printed.mockRestore());
  await refuseOtherSecrets(url, "secrets", flows);
  expect(printed.mock.calls.join()).toContain(`GET ${url}/health`);
});
