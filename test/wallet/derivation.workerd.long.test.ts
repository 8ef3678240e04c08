import { expect, test } from "vitest";
import { sleep } from "../../shared/timing.ts";
import { createSecretDeriver, DERIVATION_LIMITS } from "../../shared/wallet/derivation.ts";
import { createThrottle } from "../../shared/wallet/throttle.ts";
import { expectDone, randomBytes } from "../support/custody.ts";

test("while derivations wait for their turn, other requests get the thread between them", async () => {
  const derive = createSecretDeriver(createThrottle(DERIVATION_LIMITS, Date.now));
  const salt = randomBytes(32);
  let derivations = 4;
  const derivationsLeftAtStep: number[] = [];
  // What any other request does: it goes on in steps, each after some event.
  const other = (async () => {
    while (derivations > 0) {
      await sleep(0);
      derivationsLeftAtStep.push(derivations);
    }
  })();
  const all = Array.from({ length: derivations }, async (_, index) => {
    expectDone(await derive(`secret ${index}`, { derivation: "scrypt", salt }));
    derivations -= 1;
  });
  await Promise.all([...all, other]);
  expect(new Set(derivationsLeftAtStep).size).toBeGreaterThanOrEqual(3);
});
