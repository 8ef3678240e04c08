import { createServer, type ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { startAptosChain } from "../devchain/aptos-testing.ts";
import type { Replay } from "../devchain/truth/cases.ts";
import type { Chain } from "../devchain/truth/listed-differences.ts";
import { DepositGuard } from "./deposit-guard.ts";
import { type Limits, type Node, nodeAt } from "./node.ts";
import { reportOf } from "./report.ts";
import { askNode } from "./suites.ts";

const SECRET = "key-of-a-provider";
const FULL: Limits = { timeoutMs: 30_000, answerBytes: 4_194_304, unansweredInARow: 3 };

function nodeOf(url: string, limits = FULL): Node {
  const node = nodeAt(url, limits);
  if (node === null) throw new Error(`no URL of a node: ${url}`);
  return node;
}

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://127.0.0.1:${address.port}`;
}

async function reported(chain: Chain, node: Node) {
  return reportOf(chain, node.host, await askNode[chain](node), node.withoutSecrets);
}

/** The same node. Each question goes into `asked`: method, path, and how many bytes are posted. */
function watched(node: Node, asked: string[]): Node {
  return {
    ...node,
    ask: (path, init) => {
      asked.push(`${init.method} ${path} ${Object(init.body ?? "").length}`);
      return node.ask(path, init);
    },
  };
}

test("a node by URL that answers as recorded has no difference, and gets no transaction", async () => {
  const { url } = await startAptosChain();
  const asked: string[] = [];
  const sui = await reported("Sui", watched(nodeOf(`${url}/sui/`), asked));
  const aptos = await reported("Aptos", watched(nodeOf(`${url}/aptos/v1`), asked));
  expect([sui.isAsRecorded, aptos.isAsRecorded]).toEqual([true, true]);
  // Each case is asked, or left out with a reason.
  expect(sui.lines[0]).toMatch(/: 119 recorded cases, [1-9]\d* agree, .* 0 differ, 0 unanswered, [1-9]\d* left out$/);
  expect(aptos.lines[0]).toMatch(/: 490 recorded cases, [1-9]\d* agree, .* 0 differ, 0 unanswered, [1-9]\d* left out$/);
  expect(sui.lines.slice(1).every((line) => line.startsWith("  left out, "))).toBe(true);

  expect(asked.length).toBeGreaterThan(90);
  expect(asked.filter((one) => /ExecuteTransaction|SimulateTransaction|\/simulate/.test(one))).toEqual([]);
  // What is posted there is too short for a transaction.
  const posted = asked.filter((one) => one.startsWith("POST /transactions ")).map((one) => Number(one.split(" ")[2]));
  expect(posted.length).toBeGreaterThan(0);
  expect(Math.max(...posted)).toBeLessThan(20);
});

test("a difference is reported with its request and both answers, without ids, secrets and control characters", async () => {
  const id = `0x${"ab".repeat(32)}`;
  const difference = { at: ".b", recorded: `"${id}"`, asked: `"\u001b[2J ${SECRET} ${"long ".repeat(100)}"` };
  const replay: Replay = {
    cases: [{ name: "7 GET /", request: `GET /v1/accounts/${id}`, differences: [difference], unanswered: null }],
    leftOut: [],
  };
  const { withoutSecrets } = nodeOf(`https://node.test/${SECRET}/v1`);
  const { lines, isAsRecorded } = reportOf("Aptos", "node.test", replay, withoutSecrets, []);
  expect(isAsRecorded).toBe(false);
  expect(lines.slice(0, 5)).toEqual([
    "Aptos at node.test: 1 recorded cases, 0 agree, 0 differ only as listed, 1 differ, 0 unanswered, 0 left out",
    "  7 GET /",
    "    request   GET /v1/accounts/<id>",
    "    at        .b",
    '    recorded  "<id>"',
  ]);
  expect(lines[5]).toMatch(/^ {4}this node "\?\[2J <url> long .*\.\.\.$/);
});

test("a node that hangs, floods or limits its callers leaves a question unanswered", async () => {
  const limits = { timeoutMs: 300, answerBytes: 10_000, unansweredInARow: 3 };
  const asking = async (answer: (response: ServerResponse) => void, timeoutMs = FULL.timeoutMs) =>
    nodeOf(await serve(answer), { ...limits, timeoutMs }).ask("/", {});
  await expect(asking(() => {}, 300)).rejects.toThrow("no whole answer within 300 ms");
  await expect(asking((response) => void response.write("{"), 300)).rejects.toThrow("no whole answer within 300 ms");
  await expect(asking((response) => void response.end("x".repeat(20_000)))).rejects.toThrow("longer than 10000 bytes");
  await expect(asking((response) => void response.writeHead(429).end("{}"))).rejects.toThrow("429: the node takes");
  await expect(asking((response) => void response.destroy())).rejects.toThrow(/^no answer: /);
});

test("a node that talks nonsense, or is silent, has unanswered cases, and a silent one soon gets no more questions", async () => {
  const nonsense = await reported("Sui", nodeOf(await serve((response) => void response.end("<html>"))));
  expect(nonsense.isAsRecorded).toBe(false);
  expect(nonsense.lines.join("\n")).toContain("its answer cannot be read");
  let questions = 0;
  const silent = await serve((response) => {
    questions += 1;
    response.destroy();
  });
  const { lines, isAsRecorded } = await reported("Sui", nodeOf(silent));
  expect(isAsRecorded).toBe(false);
  expect(lines.join("\n")).toContain("not asked, after 3 questions in a row without an answer");
  expect(questions).toBeLessThan(10);
});

test("what is no plain URL of a node is refused", () => {
  for (const url of ["", "node.test", "ftp://node.test", "https://a:b@node.test", "https://node.test/?key=1"])
    expect(nodeAt(url)).toBeNull();
  expect(nodeAt("https://node.test/v1/")).toMatchObject({ host: "node.test" });
});

test("a deposit goes out before its fund is given back, or not at all", async () => {
  const began: string[] = [];
  let end = (_: boolean) => {};
  const guarded = () =>
    new DepositGuard({
      noteSent: async () => void began.push("deposit"),
      giveBack: () => {
        began.push("give back");
        return new Promise((resolve) => {
          end = resolve;
        });
      },
    });
  const interrupted = guarded();
  const ended = [interrupted.giveBackOnce(), interrupted.giveBackOnce()];
  await expect(interrupted.sending()).rejects.toThrow("nothing was paid");
  end(true);
  expect(await Promise.all(ended)).toEqual([true, true]);
  await expect(interrupted.sending()).rejects.toThrow("nothing was paid");
  expect(began).toEqual(["give back"]);

  const paid = guarded();
  await paid.sending();
  void paid.giveBackOnce();
  expect(began).toEqual(["give back", "deposit", "give back"]);
});
