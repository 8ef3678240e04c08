import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { profilesPath, writePrivate } from "../../../../functions/service/admin/cli/service/profiles.ts";
import { configHome, fakeService, run } from "../../../support/command-line.ts";

const TOKEN = "the token of this test";
const empty = { items: [], nextCursor: null };

test("a login asks for the token, keeps it for its owner alone, and the next call sends it", async () => {
  const { url, taken } = await fakeService(() => ({ body: empty }));
  const env = { XDG_CONFIG_HOME: await configHome() };
  const login = await run(["login", "--url", url], { env, answers: [TOKEN] });
  expect([login.exit, login.questions]).toEqual(["ok", ["Token (not shown): "]]);
  expect(login.out + login.err).not.toContain(TOKEN);
  const { mode } = await stat(profilesPath(env));
  const folder = await stat(dirname(profilesPath(env)));
  expect([mode & 0o777, folder.mode & 0o777]).toEqual([0o600, 0o700]);
  expect((await run(["project", "list"], { env })).exit).toBe("ok");
  expect(taken.at(-1)?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  const listed = await run(["profile", "list", "--json"], { env });
  expect(JSON.parse(listed.out)).toEqual({ items: [{ name: "default", url, current: true }] });
});

test("a script sends the token on the standard input", async () => {
  const { url } = await fakeService(() => ({ body: empty }));
  const env = { XDG_CONFIG_HOME: await configHome() };
  expect((await run(["login", "--url", url, "--profile", "ci"], { env, input: `${TOKEN}\n` })).exit).toBe("ok");
  expect(await readFile(profilesPath(env), "utf8")).toContain(TOKEN);
});

test("a wrong token is not kept", async () => {
  const { url } = await fakeService(() => ({ status: 401, body: { detail: "the token is wrong" } }));
  const env = { XDG_CONFIG_HOME: await configHome() };
  const { exit, err } = await run(["login", "--url", url], { env, answers: [TOKEN] });
  expect([exit, err]).toEqual(["notAllowed", expect.stringContaining("the token is wrong")]);
  await expect(stat(profilesPath(env))).rejects.toThrow("ENOENT");
});

test("no error prints the token", async () => {
  const { url, taken } = await fakeService(({ headers }) => ({
    status: 401,
    body: { detail: `wrong: ${headers.authorization}` },
  }));
  const echoed = await run(["project", "list"], { env: { GASWORKS_URL: url, GASWORKS_TOKEN: TOKEN } });
  expect([echoed.exit, echoed.err]).toEqual(["notAllowed", expect.stringContaining("wrong: Bearer [the token]")]);
  const sent = taken.length;
  for (const token of ["one-half\nother-half", "one-half\u2026other-half"]) {
    const XDG_CONFIG_HOME = await configHome();
    const ends = [
      await run(["project", "list"], { env: { GASWORKS_URL: url, GASWORKS_TOKEN: token } }),
      await run(["login", "--url", url], { env: { XDG_CONFIG_HOME }, input: token }),
    ];
    for (const { exit, err, out } of ends) {
      expect([exit, err]).toEqual(["usage", expect.stringContaining("copy it again")]);
      expect(out + err).not.toMatch(/one-half|other-half/);
    }
  }
  expect(taken.length).toBe(sent);
});

test("a private file is not written through a link that lies at the name of its draft", async () => {
  const folder = await configHome();
  await writeFile(join(folder, "victim"), "precious");
  await symlink(join(folder, "victim"), join(folder, `heads.json.${process.pid}`));
  await writePrivate(join(folder, "heads.json"), "new");
  expect(await readFile(join(folder, "victim"), "utf8")).toBe("precious");
  const { mode } = await stat(join(folder, "heads.json"));
  expect([mode & 0o777, await readFile(join(folder, "heads.json"), "utf8")]).toEqual([0o600, "new"]);
});

test("no flag takes a token", async () => {
  const { exit } = await run(["login", "--url", "http://127.0.0.1:1", "--token", TOKEN]);
  expect(exit).toBe("usage");
});

test("a file that others may read is refused, and nothing is sent", async () => {
  const { url, taken } = await fakeService(() => ({ body: empty }));
  const env = { XDG_CONFIG_HOME: await configHome() };
  const path = profilesPath(env);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify({ current: "a", profiles: { a: { url, token: TOKEN } } }));
  for (const mode of [0o640, 0o604, 0o620, 0o602]) {
    await chmod(path, mode);
    const { exit, err } = await run(["project", "list"], { env });
    expect([exit, err]).toEqual(["usage", expect.stringContaining(`chmod 600 ${path}`)]);
  }
  expect(taken).toEqual([]);
  await chmod(path, 0o600);
  expect((await run(["project", "list"], { env })).exit).toBe("ok");
});

test("the token of one source never goes to the URL of another", async () => {
  const { url, taken } = await fakeService(() => ({ body: empty }));
  const env = { XDG_CONFIG_HOME: await configHome() };
  await run(["login", "--url", url], { env, answers: [TOKEN] });
  const before = taken.length;
  for (const half of [{ GASWORKS_URL: url }, { GASWORKS_TOKEN: "another" }])
    expect((await run(["project", "list"], { env: { ...env, ...half } })).exit).toBe("usage");
  expect(taken.length).toBe(before);
});

test("a token goes neither over plain http to another machine nor after a redirection", async () => {
  const env = { GASWORKS_URL: "http://gasworks.example.com", GASWORKS_TOKEN: TOKEN };
  expect((await run(["project", "list"], { env })).exit).toBe("usage");
  const other = await fakeService(() => ({ body: empty }));
  const first = await fakeService(() => ({ status: 307, headers: { location: `${other.url}/admin/v1/projects` } }));
  expect((await run(["project", "list"], { env: first.env })).exit).toBe("unreachable");
  expect(other.taken).toEqual([]);
});

test("without a profile the command says how to get one", async () => {
  const { exit, err } = await run(["project", "list"], { env: { XDG_CONFIG_HOME: await configHome() } });
  expect([exit, err]).toEqual(["usage", expect.stringContaining("gasworks login --local")]);
});

test("a call takes the named profile, then that of the environment, then the current one", async () => {
  const [one, two] = [await fakeService(() => ({ body: empty })), await fakeService(() => ({ body: empty }))];
  const env = { XDG_CONFIG_HOME: await configHome() };
  for (const [name, { url }] of [
    ["one", one],
    ["two", two],
  ] as const)
    await run(["login", "--url", url, "--profile", name], { env, answers: [TOKEN] });
  const calls = () => [one.taken.length - 1, two.taken.length - 1];
  await run(["project", "list"], { env });
  expect(calls()).toEqual([0, 1]);
  await run(["project", "list"], { env: { ...env, GASWORKS_PROFILE: "one" } });
  await run(["--profile", "one", "project", "list"], { env });
  expect(calls()).toEqual([2, 1]);
  await run(["profile", "use", "one"], { env });
  await run(["project", "list"], { env });
  expect(calls()).toEqual([3, 1]);
  await run(["logout"], { env });
  expect((await run(["project", "list"], { env })).exit).toBe("usage");
  expect((await run(["project", "list", "--profile", "gone"], { env })).exit).toBe("usage");
  expect((await run(["logout", "constructor"], { env })).exit).toBe("notFound");
});
