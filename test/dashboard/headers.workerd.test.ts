import { expect, test } from "vitest";
import { adminToken } from "../support/admin-access.ts";
import { Browser, FROM_PAGE, hiddenFields } from "../support/dashboard.ts";

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

test("every answer forbids inline code, frames, other origins and caches", async () => {
  const browser = new Browser();
  const before = await browser.get("/dashboard/login");
  const failed = await browser.post("/dashboard/login", { token: "wrong" });
  await browser.logIn(adminToken);
  const paths = ["/dashboard/nodes", "/dashboard/nowhere", "/dashboard/enter/x"];
  const answers = [before, failed, ...(await Promise.all(paths.map((path) => browser.get(path))))];
  for (const { headers } of answers) {
    expect(headers.get("content-security-policy")).toBe(POLICY);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("permissions-policy")).toBe("camera=(), geolocation=(), microphone=(), payment=()");
    expect(headers.get("cache-control")).toBe("no-store");
  }
});

test("no page has a style, a script or a handler of its own", async () => {
  const browser = await new Browser().logIn(adminToken);
  for (const path of ["/dashboard/nodes", "/dashboard/login", "/dashboard/enter/x", "/dashboard/nowhere"]) {
    const html = await (await browser.get(path)).text();
    expect(html.startsWith("<!doctype html>"), path).toBe(true);
    expect(html, path).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
    expect(html, path).not.toMatch(/<script(?![^>]* src="\/dashboard\/assets\/)/);
  }
});

test("the style and the script have their hash in their name, and browsers keep them", async () => {
  const browser = new Browser();
  const html = await (await browser.get("/dashboard/login")).text();
  const paths = html.match(/\/dashboard\/assets\/[a-z]+-[0-9a-f]+\.(css|js)/g) ?? [];
  expect(paths).toHaveLength(2);
  for (const path of paths) {
    const asset = await browser.get(path);
    expect(asset.status).toBe(200);
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(asset.headers.get("content-type")).toMatch(/^text\/(css|javascript); charset=utf-8$/);
    expect((await browser.get(path.replace(/[0-9a-f](?=\.)/, "z"))).status).not.toBe(200);
  }
});

test("a form of another site, session or none is refused, and changes nothing", async () => {
  const browser = await new Browser().logIn(adminToken);
  const other = await new Browser().logIn(adminToken);
  const csrfOf = async (of: Browser) =>
    hiddenFields(await (await of.get("/dashboard/nodes")).text(), "/dashboard/logout").csrf ?? "";
  const csrf = await csrfOf(browser);
  const { "sec-fetch-site": _, ...withoutSite } = FROM_PAGE;
  const { origin: __, ...withoutBoth } = withoutSite;
  for (const [fields, headers] of [
    [{}, FROM_PAGE],
    [{ csrf: "" }, FROM_PAGE],
    [{ csrf: await csrfOf(other) }, FROM_PAGE],
    [{ csrf }, { ...FROM_PAGE, "sec-fetch-site": "cross-site" }],
    [{ csrf }, { ...FROM_PAGE, "sec-fetch-site": "same-site" }],
    [{ csrf }, { ...FROM_PAGE, "sec-fetch-site": "none" }],
    [{ csrf }, { ...withoutSite, origin: "https://evil.example" }],
    [{ csrf }, { ...withoutSite, origin: "null" }],
    [{ csrf }, withoutBoth],
  ] as const)
    expect((await browser.post("/dashboard/logout", fields, headers)).status, JSON.stringify(headers)).toBe(403);
  const json = { ...FROM_PAGE, "content-type": "text/plain" };
  expect((await browser.post("/dashboard/logout", { csrf }, json)).status).toBe(415);
  expect((await browser.get("/dashboard/nodes")).status).toBe(200);
  const plain = { ...withoutSite, host: "gasworks.example" };
  expect((await browser.post("/dashboard/logout", { csrf }, plain)).status).toBe(303);
});
