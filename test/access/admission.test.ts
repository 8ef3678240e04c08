import { expect, test } from "vitest";
import { keysOfRequest } from "../../shared/access/admission.ts";

function request(headers: Record<string, string> = {}): Request {
  return new Request("https://service.example/sui/gas/v1", { headers });
}

test("the key is taken from the header and from the path, and an empty one is none", () => {
  expect(keysOfRequest(request(), null)).toEqual([]);
  expect(keysOfRequest(request({ "x-api-key": "a" }), null)).toEqual(["a"]);
  expect(keysOfRequest(request(), "b")).toEqual(["b"]);
  expect(keysOfRequest(request({ "X-API-Key": "a" }), "b")).toEqual(["a", "b"]);
  expect(keysOfRequest(request({ "x-api-key": "" }), "")).toEqual([]);
});
