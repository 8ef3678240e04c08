import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type Route, route, runPairs, turnOf } from "./route.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Starts a server that notes each request in `log`, and answers once `may` allows. */
async function noted(name: string, log: string[], may: () => Promise<void>): Promise<Route> {
  const server = createServer((request, response) => {
    request.resume().on("end", async () => {
      log.push(name);
      await may();
      response.end('{"result":1}');
    });
  });
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return route(name, { url: `http://127.0.0.1:${port}`, pid: () => process.pid }, "/");
}

test("the routes of a pair run at the same time, and take turns with other pairs", async () => {
  const log: string[] = [];
  let waiting: (() => void)[] = [];
  let isWarm = false;
  // Answers neither of a pair before both have their request. Two rounds one after the other would never end.
  const both = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (isWarm && waiting.length < 2) return;
      for (const answer of waiting) answer();
      waiting = [];
    });
  const pairs = [
    [await noted("a", log, both), await noted("b", log, both)],
    [await noted("c", log, both), await noted("d", log, both)],
  ];
  await runPairs(pairs, { callers: 1, requests: 1, rounds: 4, warmUp: 3 }, () => {
    isWarm = true;
  });
  expect(log.slice(0, 12).join("")).toBe("aaabbbcccddd");
  const rounds = [0, 2, 4, 6].map((at) =>
    log
      .slice(12 + at, 14 + at)
      .toSorted()
      .join(""),
  );
  expect(rounds).toEqual(["ab", "cd", "cd", "ab"]);
  for (const { rounds } of pairs.flat()) expect(rounds).toHaveLength(2);
});

test.each([2, 3])("%i turns are equally frequent, and no period of rounds falls on one of them", (count) => {
  const turns = Array.from({ length: 60 }, (_, round) => turnOf(round, count));
  for (let from = 0; from < turns.length; from += count)
    expect(new Set(turns.slice(from, from + count)).size).toBe(count);
  for (let period = 1; period <= 20; period += 1)
    expect(turns.slice(period)).not.toEqual(turns.slice(0, turns.length - period));
});
