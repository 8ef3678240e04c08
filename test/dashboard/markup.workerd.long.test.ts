import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as z from "zod";
import { createDeps } from "../../shared/bindings/deps.ts";
import { DIRECTORY_NAME } from "../../shared/bindings/directory.ts";
import { SqliteRefusedCalls } from "../../shared/fund/explain/sqlite-refused-calls.ts";
import { newRequestId } from "../../shared/http/request-id.ts";
import { walletName } from "../../shared/wallet/context.ts";
import { alterReplies } from "../byzantine-node/altered-sui-node.ts";
import { DEMO_PACKAGE } from "../devchain/demo.ts";
import { adminToken } from "../support/admin-access.ts";
import { Browser, dashboardApp } from "../support/dashboard.ts";
import { failing } from "../support/failing-executions.ts";
import { call, type ListedFund, newListedFund } from "../support/stories.ts";
import { executeOnChain, sponsor, stateOf, stub, until, useStoppedClock, withOurTime } from "../support/sui-fund.ts";

useStoppedClock();

/** Texts as an attacker would choose them. Each has at most the 100 characters of a name. */
const CORPUS = [
  `<script>alert(1)</script>"><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1) </title></style></textarea><svg/onload=alert(1)>`,
  `javascript:alert(1) {{constructor.constructor('alert(1)')()}} \${alert(1)}`,
  `<!--<a href="//evil.example">-->&lt;b&gt;&#x3c; ]]> \u202Egnp.exe\u2066`,
];

function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/g, (character) => names[character] ?? "");
}

const logIn = () => new Browser(dashboardApp(createDeps(env))).logIn(adminToken);

/** Loads pages, each of which must show the text, and only as text. */
async function expectInert(browser: Browser, text: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const html = await (await browser.get(`/dashboard${path}`)).text();
    expect(html, path).toContain(escaped(text));
    if (escaped(text) !== text) expect(html, path).not.toContain(text);
    expect(html, path).not.toMatch(/(href|src|action)="javascript:/);
  }
}

const madeSchema = z.looseObject({ id: z.string(), token: z.string().optional() });

/** A refused call that the fund has kept, with this text wherever a stranger chooses one. */
function keepRefusal({ id, keyId }: ListedFund, text: string, requestId: string): Promise<void> {
  return runInDurableObject(env.FUND.getByName(id), (_, { storage }) =>
    new SqliteRefusedCalls(storage.sql).add([
      {
        atMs: Date.now(),
        requestId,
        keyId,
        sender: text,
        method: "sponsor",
        reason: "policy_refused",
        rule: text,
        scope: "fund",
        targets: [`0x2::${text}::f`],
        gasBudgetAtoms: 1n,
        digest: null,
        details: `the node says ${text}`,
      },
    ]),
  );
}

test("a name of a key, a text of a refusal and the id of a wallet are shown as text on each page that shows them", async () => {
  const fund = await newListedFund();
  await sponsor(fund, "open", { keyId: fund.keyId });
  const browser = await logIn();
  const pageOf = { fund: `/funds/${fund.id}`, key: `/keys/${fund.keyId}` };
  for (const text of CORPUS) {
    await call("PATCH", `/keys/${fund.keyId}`, { name: text });
    const requestId = newRequestId(Date.now());
    await keepRefusal(fund, text, requestId);
    const named = ["/keys", pageOf.key, `${pageOf.key}/policy`, `${pageOf.key}/stop`, `${pageOf.fund}/sponsorships`];
    await expectInert(browser, text, [...named, `${pageOf.fund}/refusals`, `/explain?q=${requestId}`]);

    const walletId = text;
    await runInDurableObject(env.PROJECT.getByName(fund.projectId), (_, { storage: { sql } }) =>
      sql.exec(
        "INSERT INTO wallet (name, chain, wallet_id, month, admitted_at_ms, address) VALUES (?, 'sui', ?, 1, ?, ?)",
        walletName({ projectId: fund.projectId, chain: "sui", walletId }),
        walletId,
        Date.now(),
        `0x${"7".repeat(64)}`,
      ),
    );
    await expectInert(browser, text, [
      `/wallets?project=${fund.projectId}`,
      `/explain?q=${encodeURIComponent(walletId)}`,
    ]);
  }
});

test("a name of a token is shown as text in its list, in the log and above each page of its holder", async () => {
  const browser = await logIn();
  for (const text of CORPUS) {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const { id, token = "" } = madeSchema.parse(
      await call("POST", "/tokens", { name: text, role: "owner", expiresAt }),
    );
    await expectInert(browser, text, ["/tokens", `/tokens/${id}/delete`]);
    const holder = await new Browser(dashboardApp(createDeps(env))).logIn(token);
    await expectInert(holder, text, ["/nodes", "/settings"]);
    await call("DELETE", `/tokens/${id}`);
  }
});

test("the URL of a webhook and the error of its receiver are shown as text", async () => {
  const { projectId } = await newListedFund(0);
  const browser = await logIn();
  const hooks = `/projects/${projectId}/webhooks`;
  for (const [index, text] of CORPUS.entries()) {
    // The API itself refuses other characters in a URL.
    const path = encodeURIComponent(text);
    const body = { url: `https://hooks.example.com/${path}`, events: ["fund.deposit"] };
    const { id, url } = z.looseObject({ id: z.string(), url: z.string() }).parse(await call("POST", hooks, body));
    await runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage: { sql } }) =>
      sql.exec(
        `INSERT INTO delivery (webhook_id, event_id, type, state, body, created_at_ms, attempts, last_error)
         VALUES (?, ?, 'fund.deposit', 'failed', '{}', ?, 10, ?)`,
        id,
        `evt_${String(index).repeat(20)}`,
        Date.now(),
        text,
      ),
    );
    await expectInert(browser, url, ["/webhooks", `${hooks}/${id}`, `${hooks}/${id}/delete`]);
    await expectInert(browser, text, [`${hooks}/${id}`]);
  }
});

test("the words of a node about itself and about an abort are shown as text", async () => {
  const browser = await logIn();
  await browser.get("/dashboard/nodes");
  for (const text of CORPUS) {
    await runInDurableObject(env.DIRECTORY.getByName(DIRECTORY_NAME), (_, { storage: { sql } }) =>
      sql.exec("UPDATE node_check SET height = '1', ledger_at_ms = 1, software = ?, fault = ?", text, text),
    );
    await expectInert(browser, text, ["/nodes"]);
  }
  const fund = await newListedFund(CORPUS.length);
  for (const [index, text] of CORPUS.entries()) {
    const sponsored = await sponsor(fund, `aborts ${index}`, { keyId: fund.keyId });
    const location = { package: DEMO_PACKAGE, module: text, functionName: text };
    const cleverError = { constantName: text, value: { oneofKind: undefined } };
    const abort = { abortCode: 7n, location, cleverError };
    alterReplies(withOurTime, failing({ kind: 13, command: 0n, errorDetails: { oneofKind: "abort", abort } }));
    await executeOnChain(sponsored);
    await until(async () => {
      await stub(fund).status(sponsored.digest);
      return (await stateOf(fund, sponsored.digest)) === "complete";
    });
    const html = await (await browser.get(`/dashboard/explain?q=${sponsored.digest}`)).text();
    expect(html).toContain("Aborted on chain");
    // A name of Move has none of these characters, so some of it may be left out.
    expect(html).not.toContain(text);
    expect(html).not.toMatch(/<script>alert|<img src=x|<svg\/onload|<a href="\/\/evil/);
  }
});
