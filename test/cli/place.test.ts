import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { CHAIN_PORT, claim, freeWantedPort, LOCAL, refuseOneDirectory, SERVICE_PORT } from "../../shared/cli/place.ts";

test("a state directory that was there is closed to others", async () => {
  const stateRoot = await mkdtemp(join(tmpdir(), "gasworks-place-"));
  onTestFinished(() => rm(stateRoot, { recursive: true }));
  await chmod(stateRoot, 0o755);
  await claim({ command: "", stateRoot, secretsPath: "" }, () => {});
  expect((await stat(stateRoot)).mode & 0o777).toBe(0o700);
});

test("secrets and state are refused in one directory", () => {
  const place = (stateRoot: string, secretsPath: string) => () => refuseOneDirectory({ stateRoot, secretsPath });
  for (const inside of ["/srv/gasworks/.secrets", "/srv/gasworks/keys/.secrets", "/srv/gasworks/../gasworks/.secrets"])
    expect(place("/srv/gasworks", inside)).toThrow(/open every key/);
  for (const apart of ["/srv/.secrets", "/srv/gasworks.secrets", "/etc/gasworks/.secrets"])
    expect(place("/srv/gasworks", apart)).not.toThrow();
});

test("the error of a taken port names every port of the command", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  onTestFinished(() => void vi.unstubAllEnvs());
  const address = server.address();
  vi.stubEnv("PORT", String(typeof address === "object" ? address?.port : ""));
  vi.stubEnv("CHAIN_PORT", "9000");
  const taken = freeWantedPort(SERVICE_PORT, LOCAL, [SERVICE_PORT, CHAIN_PORT]);
  await expect(taken).rejects.toThrow(/ in use\..* PORT=\d+ CHAIN_PORT=9100 npm start$/);
});
