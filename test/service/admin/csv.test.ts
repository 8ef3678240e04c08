import fc from "fast-check";
import { expect, test } from "vitest";
import { type Table, tableOfPage } from "../../../functions/service/admin/route/table.ts";
import { readCsv } from "../../support/read-csv.ts";

const URL_OF_LIST = "https://service.example/admin/v1/projects?limit=2&cursor=9";

function csvResponse(columns: Table["columns"], page: object, url: string): Response {
  return tableOfPage({ type: "text/csv", columns }, page, url);
}

async function linesOf(columns: readonly string[], items: readonly object[]): Promise<readonly string[][]> {
  return readCsv(await csvResponse(columns, { items, nextCursor: null }, URL_OF_LIST).text());
}

test("a page is a header line and a line for each item, with null as nothing and fields of fields as JSON", async () => {
  const items = [
    { id: "a", amount: "-12", low: false, policy: { senders: null }, extra: 1 },
    { id: "b", amount: null, low: true, policy: ["x", "y"] },
  ];
  const response = csvResponse(["id", "amount", "low", "policy"], { items, nextCursor: null }, URL_OF_LIST);
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
  expect(await response.text()).toBe(
    '"id","amount","low","policy"\r\n"a","-12","false","{""senders"":null}"\r\n"b","","true","[""x"",""y""]"\r\n',
  );
});

test("whatever text a field holds, a reader of RFC 4180 gets it back", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.string(), fc.string({ unit: "grapheme" }))), async (rows) => {
      const plain = (text: string) => `:${text.replace(/[;|\t\r\n]/g, ",")}`;
      const items = rows.map(([a, b]) => ({ a: plain(a), b: plain(b) }));
      expect(await linesOf(["a", "b"], items)).toEqual([["a", "b"], ...items.map(({ a, b }) => [a, b])]);
    }),
  );
});

test("no text becomes a formula in a spreadsheet, and a negative amount stays a number", async () => {
  const formulas = ['=HYPERLINK("http://evil.example")', "+1+1", "-1-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"];
  const [, ...lines] = await linesOf(
    ["name"],
    formulas.map((name) => ({ name })),
  );
  expect(lines.flat()).toEqual(formulas.map((formula) => `'${formula}`));
  expect(await linesOf(["mist"], [{ mist: "-1000" }])).toEqual([["mist"], ["-1000"]]);
});

test("no part of a text becomes one either, where a spreadsheet splits it at another separator", async () => {
  for (const [name, expected] of [
    ["a;=cmd|' /C calc'!A0", "a;'=cmd|' /C calc'!A0"],
    ["a\t=1", "a\t'=1"],
    ["a|+1\n@x", "a|'+1\n'@x"],
    ["a-b;c", "a-b;c"],
  ] as const) {
    const text = await csvResponse(["name"], { items: [{ name }], nextCursor: null }, URL_OF_LIST).text();
    expect(text).toBe(`"name"\r\n"${expected}"\r\n`);
  }
});

test("the next page is a link, and the last page has none", () => {
  const next = csvResponse(["a"], { items: [], nextCursor: "7" }, URL_OF_LIST);
  expect(next.headers.get("link")).toBe('</admin/v1/projects?limit=2&cursor=7>; rel="next"');
  expect(csvResponse(["a"], { items: [], nextCursor: null }, URL_OF_LIST).headers.get("link")).toBeNull();
});
