import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { claim, refuseOneDirectory } from "../../shared/cli/place.ts";

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
