import { expect, test } from "vitest";
import * as z from "zod";
import { type HttpAnswer, http } from "../../../shared/cli/client/http.ts";
import { serviceUrl } from "../../harness/harness.ts";
import { fundWithKey } from "../../support/sui-gas.ts";

/** Clients up to @shinami/clients 0.9.4, and integrations that are written by hand, know the gas station by `/gas/v1`. */

function call(path: string, method: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
  return http(`${serviceUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: "7", method, params: [] }),
  });
}

test("the gas station answers under its old path as under its own, with the key in a header or in the path", async () => {
  const { key } = await fundWithKey();
  const byKey = { "x-api-key": key };
  const here = await call("/sui/gas/v1", "gas_getFund", byKey);
  expect(here).toMatchObject({ status: 200, body: { id: "7", result: { network: "SUI_LOCALNET" } } });
  for (const old of [await call("/gas/v1", "gas_getFund", byKey), await call(`/gas/v1/${key}`, "gas_getFund")])
    expect(old).toMatchObject({ status: here.status, body: here.body });
});

test("what is refused under the old path is an answer of JSON-RPC", async () => {
  const refusal = { jsonrpc: "2.0", id: "7", error: { code: -32001 } };
  expect(await call("/gas/v1", "gas_getFund")).toMatchObject({ status: 401, body: refusal });
  expect(await call("/gas/v2", "gas_getFund")).toMatchObject({ status: 404, body: { jsonrpc: "2.0", id: "7" } });
});

test("a document says by an absolute URL where its interface is, without the key", async () => {
  const { key } = await fundWithKey();
  const document = z.object({ result: z.object({ servers: z.array(z.object({ url: z.url() })) }) });
  for (const path of ["/sui/gas/v1", "/gas/v1"]) {
    const { body } = await call(`${path}/${key}`, "rpc.discover");
    expect(document.parse(body).result.servers).toEqual([{ url: `${serviceUrl}${path}` }]);
  }
});
