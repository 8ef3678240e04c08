import { beforeAll, expect, test } from "vitest";
import { script } from "../../functions/dashboard/script.ts";
import { type SECRET_FORMS, secretIn } from "../../shared/secret-forms.ts";
import { adminToken } from "../support/admin-access.ts";
import { Browser } from "../support/dashboard.ts";

const HEX = "0123456789abcdef".repeat(4);
const SECRETS: Readonly<Record<keyof typeof SECRET_FORMS, string>> = {
  "an access key": `us1_sui_testnet_${HEX}`,
  "an operator's token": `admin_${HEX}`,
  "a session token": `ivs_${"a".repeat(51)}`,
  "a webhook secret": `whsec_${"A".repeat(32)}`,
  "a user's token": `eyJ${"a".repeat(20)}.eyJ${"b".repeat(20)}.c`,
  "a private key": `suiprivkey1${"q".repeat(59)}`,
};
const cases = Object.entries(SECRETS);

let browser = new Browser();
beforeAll(async () => {
  browser = await new Browser().logIn(adminToken);
});

test.each(cases)("%s in the search box is refused, and neither repeated nor put into a URL", async (name, secret) => {
  const refused = await browser.submit("/dashboard/explain", "/dashboard/explain", { q: ` ${secret}\n` });
  const html = await refused.text();
  expect([refused.status, refused.headers.get("location")]).toEqual([400, null]);
  expect(html).toContain("Nothing was searched");
  expect(html.replaceAll("&#39;", "'")).toContain(`That is ${name}`);
  expect(html).not.toContain(secret);
});

test.each(cases)("%s in the URL of any page is not repeated, and the page says to replace it", async (_, secret) => {
  for (const path of ["/explain?q=", "/audit?actor=", "/wallets?walletId=", "/keys/"]) {
    const refused = await browser.get(`/dashboard${path}${encodeURIComponent(secret)}`);
    const html = await refused.text();
    expect([path, refused.status]).toEqual([path, 400]);
    expect(html).toMatch(/It was in the URL.*Replace it/);
    expect(html).not.toContain(secret);
  }
});

test("a visitor without a session is not led on with a secret", async () => {
  const led = await new Browser().get(`/dashboard/explain?q=${SECRETS["an access key"]}`);
  expect([led.status, led.headers.get("location")]).toEqual([303, "/dashboard/login"]);
});

test("a text of an unknown form is answered without a URL, and a digest gets one", async () => {
  const typed = "correct horse battery staple";
  const answered = await browser.submit("/dashboard/explain", "/dashboard/explain", { q: typed });
  expect([answered.status, answered.headers.get("location")]).toEqual([200, null]);
  const digest = "1".repeat(43);
  const led = await browser.submit("/dashboard/explain", "/dashboard/explain", { q: digest });
  expect(led.headers.get("location")).toBe(`/dashboard/explain?q=${digest}`);
});

test("the script refuses the same forms before they are sent", () => {
  const [, source = '""'] = /new RegExp\((".*")\)/.exec(script) ?? [];
  const form = new RegExp(String(JSON.parse(source)));
  for (const [, secret] of cases) expect([form.test(secret), secretIn(secret)]).toEqual([true, expect.any(String)]);
  for (const id of [`key_${"a".repeat(20)}`, `0x${HEX}`, "1".repeat(44), "user-42"])
    expect([form.test(id), secretIn(id)]).toEqual([false, null]);
});
