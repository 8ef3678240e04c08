import { describe, expect, test } from "vitest";
import { seededRandom } from "../../support/random.ts";
import { simulateLanes } from "./lanes.ts";
import { Coordinator, Lane } from "./lease.ts";
import { fundLoad, quotaLoad, webhookLoad } from "./sharding.ts";
import { simulateWebhooks } from "./webhooks.ts";

const SHORT = { seconds: 3 };

describe("lanes that share a limit", () => {
  test.each([1, 0.5])("no lane exceeds its lease, and the sum never the limit, at %s of what is needed", (room) => {
    for (const lanes of [2, 8])
      for (const loss of [0, 0.1]) {
        const figures = simulateLanes({ ...fundLoad(lanes, room), ...SHORT, loss });
        expect(figures.violations).toBe(0);
        expect(figures.peakUse).toBeLessThanOrEqual(1);
        expect(figures.reserved).toBeGreaterThan(1_000);
      }
  });

  test("a limit with room refuses nobody, and asks the coordinator less than once in a hundred requests", () => {
    const figures = simulateLanes({ ...fundLoad(8, 2), ...SHORT });
    expect(figures.refused).toBe(0);
    expect(figures.coordinatorCalls).toBeLessThan(10);
  });

  test("a quota is used up to its last place, wherever its places were leased", () => {
    const load = quotaLoad(8, 0.5);
    const figures = simulateLanes(load);
    expect(figures.reserved).toBe(load.limit);
    expect(figures.violations).toBe(0);
  });

  test("the same seed gives the same figures, and another one gives others", () => {
    const load = { ...fundLoad(4, 1), ...SHORT };
    expect(simulateLanes(load)).toEqual(simulateLanes(load));
    expect(simulateLanes({ ...load, seed: 7 })).not.toEqual(simulateLanes(load));
  });
});

test("messages that are lost, late, repeated and out of order never lease an amount twice", () => {
  const random = seededRandom(1);
  let violations = 0;
  for (let history = 0; history < 200; history++) {
    const [limit, lanes] = [100, [new Lane(), new Lane(), new Lane()]];
    const coordinator = new Coordinator(limit, lanes.length);
    const mail: (() => void)[] = [];
    const operations = lanes.map(() => ({ ask: 0, recall: 0, recalled: true }));
    for (let step = 0; step < 300; step++) {
      const index = Math.floor(random() * lanes.length);
      const [lane, operation] = [lanes[index], operations[index]];
      if (lane === undefined || operation === undefined) throw new Error("no lane");
      const drawn = random();
      if (drawn < 0.2) {
        const { ask } = operation;
        mail.push(() => {
          const amount = coordinator.grant(index, ask, 20);
          mail.push(() => {
            lane.addGrant(ask, amount);
            if (operation.ask === ask) operation.ask += 1;
          });
        });
      } else if (drawn < 0.4) {
        if (operation.recalled) operation.recall += 1;
        operation.recalled = false;
        const { recall } = operation;
        mail.push(() => {
          const amount = lane.giveBack(recall, 3);
          mail.push(() => {
            coordinator.takeBack(index, recall, amount);
            if (operation.recall === recall) operation.recalled = true;
          });
        });
      } else if (drawn < 0.5) lane.reserve(5);
      else if (drawn < 0.6 && lane.used > 0) lane.release(5);
      else if (mail.length > 0) {
        const at = Math.floor(random() * mail.length);
        const message = mail[at];
        // One of three is delivered and stays in the mail.
        if (random() < 0.67) mail.splice(at, 1);
        if (random() < 0.9) message?.();
      }
      const isOver = lanes.some(({ used, lease }, lane) => used > lease || lease > (coordinator.leased[lane] ?? 0));
      if (isOver || coordinator.free() < 0) violations += 1;
    }
  }
  expect(violations).toBe(0);
});

test("a sender for each endpoint delivers what one sender for all of them leaves waiting", () => {
  const one = simulateWebhooks(webhookLoad(16, "one"));
  const each = simulateWebhooks(webhookLoad(16, "one an endpoint"));
  expect(one.waiting).toBeGreaterThan(1_000);
  expect(each.waiting).toBeLessThan(50);
  expect(each.deliveredPerSecond).toBeGreaterThan(5 * one.deliveredPerSecond);
  expect(each.p99Ms).toBeLessThan(1_000);
});
