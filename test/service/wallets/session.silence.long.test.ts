import { request } from "node:http";
import { expect, inject, test } from "vitest";
import { type Silence, silenceSchema, TOKEN_MS } from "../../run/silence-setup.ts";

/** Waits as long as it takes, which `fetch` does not. */
function told(url: string): Promise<Silence> {
  return new Promise((resolve, reject) => {
    const asked = request(url, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        const silence = silenceSchema.safeParse(JSON.parse(text));
        if (silence.success) resolve(silence.data);
        else reject(new Error(`the silence ended with ${text}`));
      });
    });
    asked.on("error", reject).end();
  });
}

test.concurrent.each(["embedded, kv", "embedded, object", "self-hosted workerd"])(
  "a token works at 0 s and, after nothing but silence, at 599 s; not at 600 s: %s",
  { timeout: TOKEN_MS + 60_000 },
  async (name) => {
    const url = inject("silences")[name];
    if (url === undefined) throw new Error(`${name} does not run`);
    const { at0s, at599s, at600s } = await told(url);
    expect(at0s).toMatchObject({ result: expect.any(String) });
    expect(at599s).toEqual(at0s);
    expect(at600s).toMatchObject({ error: { code: -32602, data: { details: "Bad session token" } } });
  },
);
