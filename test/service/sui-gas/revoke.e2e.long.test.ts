import { afterEach, test } from "vitest";
import { clearFaults } from "../../support/chain-control.ts";
import { assertNoneExecutesAfterRevocation } from "./revoke.ts";

afterEach(clearFaults);

test("of 500 live signatures of a leaked key none executes after its revocation, except the 20 that the chain had first", () =>
  assertNoneExecutesAfterRevocation(500, 20));
