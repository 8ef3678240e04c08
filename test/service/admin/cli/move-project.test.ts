import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Interrupts } from "../../../../functions/service/admin/cli/session.ts";
import { freePort, LOOPBACK } from "../../../../shared/cli/ports.ts";
import { type Answered, configHome, fakeService, run, type Taken } from "../../../support/command-line.ts";

const PROJECT = `prj_${"0".repeat(20)}`;
const TRANSFER = "transfer-1";
const frames = ["first", "second"].map((frame, index, all) => ({
  transferId: TRANSFER,
  index,
  frame,
  nextCursor: index === all.length - 1 ? null : String(index + 1),
}));

/** Returns a service that closes a project, and gives its two frames out. */
function sourceThat(circumstances: { isClosed: boolean }) {
  return (taken: Taken): Answered => {
    if (taken.method === "POST") circumstances.isClosed = true;
    if (!circumstances.isClosed && taken.url.includes("/transfer")) return { status: 404, body: { detail: "none" } };
    return source(taken);
  };
}

/** A service that has closed a project. */
function source({ method, url }: Taken): Answered {
  if (method === "POST" || url.endsWith("/transfer"))
    return { body: { transferId: TRANSFER, state: "closed", nextFrame: 0 } };
  if (url.includes("/frames")) return { body: frames[url.includes("cursor=1") ? 1 : 0] };
  return { body: { id: PROJECT, name: "shop" } };
}

/** A service that has the first frame already. */
function target({ method, body }: Taken): Answered {
  if (method === "GET") return { body: { transferId: TRANSFER, state: "arriving", nextFrame: 1 } };
  const isLast = JSON.parse(body).index === frames.length - 1;
  return { body: { transferId: TRANSFER, state: isLast ? "arrived" : "arriving", nextFrame: 2 } };
}

const exportTo = (path: string) => ["project", "export", PROJECT, "--out", path, "--destination", "the new place"];

test("an export asks first, closes the project, and writes a copy that only its owner may read", async () => {
  const path = join(await configHome(), "copy.ndjson");
  const { env, taken } = await fakeService(sourceThat({ isClosed: false }));
  const refused = await run(exportTo(path), { env, answers: ["no"] });
  expect([refused.code, taken.filter(({ method }) => method === "POST")]).toEqual([1, []]);
  expect(refused.err).toContain("Closes project “shop”");
  const { exit, err } = await run(exportTo(path), { env, answers: ["yes"] });
  expect([exit, err]).toEqual(["ok", expect.stringContaining("holds the whole copy")]);
  expect(
    (await readFile(path, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(frames);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(taken.find(({ method }) => method === "POST")?.body ?? "")).toEqual({
    destination: "the new place",
  });
  expect((await run([...exportTo(path), "--yes"], { env })).exit, "a repeat").toBe("ok");
});

test("an export that is cut off goes on where it was, and Ctrl-C says that the project stays closed", async () => {
  const path = join(await configHome(), "copy.ndjson");
  await writeFile(path, `${JSON.stringify(frames[0])}\n{"transferId":"tra`);
  const interrupts = new Interrupts();
  const notices: (string | null)[] = [];
  const { env, taken } = await fakeService((call) => {
    if (call.url.includes("/frames")) notices.push(interrupts.interrupt());
    return source(call);
  });
  expect((await run([...exportTo(path), "--yes"], { env, interrupts })).exit).toBe("ok");
  expect(taken.filter(({ url }) => url.includes("/frames")).map(({ url }) => url.split("?")[1])).toEqual(["cursor=1"]);
  expect((await readFile(path, "utf8")).trim().split("\n")).toHaveLength(2);
  expect(notices).toEqual([expect.stringMatching(new RegExp(`stays closed.*gasworks project reopen ${PROJECT}`))]);
});

test("a file of another transfer is neither written nor taken for this one", async () => {
  const path = join(await configHome(), "copy.ndjson");
  const other = `${JSON.stringify({ ...frames[0], transferId: "another" })}\n`;
  await writeFile(path, other);
  for (const isClosed of [false, true]) {
    const { env, taken } = await fakeService(sourceThat({ isClosed }));
    const { code, err } = await run([...exportTo(path), "--yes"], { env });
    expect([code, err]).toEqual([1, expect.stringContaining("holds transfer another, so nothing was done")]);
    expect(taken.filter(({ method }) => method === "POST")).toEqual([]);
  }
  expect(await readFile(path, "utf8")).toBe(other);
});

test("an export to a place that cannot be written leaves the project open", async () => {
  const path = join(await configHome(), "none", "copy.ndjson");
  const { env, taken } = await fakeService(sourceThat({ isClosed: false }));
  const { code, err } = await run([...exportTo(path), "--yes"], { env });
  expect([code, err]).toEqual([1, expect.stringContaining("cannot be written")]);
  expect(taken.filter(({ method }) => method === "POST")).toEqual([]);
});

const refusals = [
  ["POST", 409, 1],
  ["POST", 403, 5],
  ["/frames", 401, 5],
  ["/frames", 422, 1],
  ["/frames", 500, 7],
] as const;

test.each(refusals)("an export whose %s gets %i ends as %i, in words", async (where, status, code) => {
  const path = join(await configHome(), "copy.ndjson");
  const working = sourceThat({ isClosed: false });
  const { env } = await fakeService((taken) =>
    taken.method === where || taken.url.includes(where)
      ? { status, body: { detail: "because of this" } }
      : working(taken),
  );
  const ended = await run([...exportTo(path), "--yes"], { env });
  const state = where === "POST" ? `project transfer ${PROJECT}` : `project reopen ${PROJECT}`;
  expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(state)]);
  expect(ended.err).toMatch(/^because of this\n/);
  expect(ended.err).not.toContain("{");
});

test("an import at a service that is down, or with a wrong token, ends at once", async () => {
  const path = join(await configHome(), "copy.ndjson");
  await writeFile(path, frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
  const args = ["project", "import", PROJECT, "--in", path];
  const down = { GASWORKS_URL: `http://${LOOPBACK}:${await freePort()}`, GASWORKS_TOKEN: "token-of-a-test" };
  expect((await run(args, { env: down })).code).toBe(3);
  const { env, taken } = await fakeService(() => ({ status: 403, body: { detail: "not yours" } }));
  const { code, err } = await run(args, { env });
  expect([code, err, taken.length]).toEqual([5, "not yours\n", 1]);
});

test("an import that is refused in the middle says so, and how to go on", async () => {
  const path = join(await configHome(), "copy.ndjson");
  await writeFile(path, frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
  const { env } = await fakeService((taken) =>
    taken.method === "POST" ? { status: 422, body: { detail: "not sealed under this master key" } } : target(taken),
  );
  const { code, err } = await run(["project", "import", PROJECT, "--in", path], { env });
  expect([code, err]).toEqual([1, expect.stringMatching(/^not sealed under this master key\n.*has not arrived whole/)]);
  const folder = await run(["project", "import", PROJECT, "--in", join(path, "..")], { env });
  expect([folder.code, folder.err]).toEqual([2, expect.stringContaining("cannot be read")]);
});

test.each([
  ["", true],
  ["--current", false],
])("an import %s sends what is missing, and orders recoveries: %s", async (flag, recover) => {
  const path = join(await configHome(), "copy.ndjson");
  await writeFile(path, frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
  const { env, taken } = await fakeService(target);
  const args = ["project", "import", PROJECT, "--in", path, ...(flag === "" ? [] : [flag])];
  const { exit, err } = await run(args, { env });
  expect([exit, err]).toEqual(["ok", expect.stringContaining(`${PROJECT} works at`)]);
  const sent = taken.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body));
  expect(sent).toEqual([{ transferId: TRANSFER, index: 1, frame: "second", recover }]);
});

test("an import of half a copy, of no copy, or of no file, ends as a refusal that says so", async () => {
  const folder = await configHome();
  const { env, taken } = await fakeService(target);
  const ended = async (name: string, text: string | null) => {
    const path = join(folder, name);
    if (text !== null) await writeFile(path, text);
    const { code, err } = await run(["project", "import", PROJECT, "--in", path], { env });
    return [code, err];
  };
  expect(await ended("half", `${JSON.stringify(frames[0])}\n`)).toEqual([
    1,
    expect.stringContaining("lacks its last frames"),
  ]);
  expect(await ended("other", "hello\n")).toEqual([
    1,
    expect.stringContaining("line 1: this is not frame 0 of a project's copy"),
  ]);
  const before = taken.length;
  expect(await ended("none", null)).toEqual([2, expect.stringContaining("none cannot be read")]);
  expect(taken).toHaveLength(before);
});
