import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createExampleApp } from "../../functions/example/app.ts";
import { createDeps } from "../../shared/bindings/deps.ts";
import { randomServiceSecrets } from "../../shared/cli/secrets.ts";

const deps = createDeps(randomServiceSecrets());
const config = { secret: randomBytes(32) };

test("the page is restricted to its own origin, wherever its files come from", async () => {
  const asked: string[] = [];
  const page = {
    fetch: async (input: RequestInfo | URL) => {
      asked.push(String(input));
      return new Response("<p>");
    },
  };
  const answer = await createExampleApp(deps, config, page).request("/example");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(asked).toEqual(["https://example-page/index.html"]);
});

test("a deployment has no page, and says so", async () => {
  for (const path of ["/example", "/example/page.js"]) {
    const answer = await createExampleApp(deps, config, undefined).request(path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      error: { code: "not_found", message: expect.stringContaining("npm start") },
    });
  }
});
