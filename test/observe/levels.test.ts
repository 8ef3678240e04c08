import { expect, test } from "vitest";
import { root } from "../../shared/cli/root.ts";
import { errorEvents, informationEvents, warningEvents } from "../../shared/observe/levels.ts";
import { levelOf } from "../../shared/observe/log.ts";
import { loggedEvents } from "./logged-events.ts";

test("each event of the sources has one level, and each level's event is in the sources", () => {
  const { names, unnamed } = loggedEvents(root);
  const graded = [...errorEvents, ...warningEvents, ...informationEvents];
  expect(graded.toSorted()).toEqual([...names].filter((name) => name !== "request").toSorted());
  expect(unnamed).toEqual([]);
});

test("an event of trouble is written at warn, and so is one that nobody has graded", () => {
  const levels = ["access_key.missing_record", "fund.ledger_too_far", "fund.listing_endless", "node.other_chain"]
    .concat(["list.cut_off", "metrics.unreadable", "something.new"])
    .map((event) => levelOf(event, {}));
  expect(levels).toEqual(["error", "warn", "warn", "error", "warn", "warn", "warn"]);
});
