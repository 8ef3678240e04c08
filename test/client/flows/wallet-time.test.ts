import { expect, test } from "vitest";
import { executions, honest, memoryStorage, mintTransaction, page, sponsorings, stage } from "./stage.ts";

/** A wallet that does not answer, or answers after its call has ended. */

/** A page whose wallet answers its first request when `answer` is called, and all others at once. */
function slowPage() {
  const storage = memoryStorage();
  const on = stage(honest, storage);
  const { flows, signer, signed } = page(on);
  const [asked, answered, signedLate] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  let requests = 0;
  const slow = {
    ...signer,
    async signTransaction(bytes: Uint8Array) {
      requests += 1;
      if (requests > 1) return signer.signTransaction(bytes);
      asked.resolve();
      await answered.promise;
      const late = await signer.signTransaction(bytes);
      signedLate.resolve();
      return late;
    },
  };
  const answer = async () => {
    answered.resolve();
    await signedLate.promise;
    // The runs have taken what they take of it by the next task.
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { on, storage, flows, signer: slow, signed, asked: asked.promise, answer };
}

const hasSignature = ({ kept }: ReturnType<typeof memoryStorage>) =>
  [...kept.values()].some((value) => value.includes('"signature"'));

test("a wallet that never answers ends its call, and the next call shows the same transaction", async () => {
  const { on, flows, signer, signed, storage } = slowPage();
  expect(await flows.sponsorAndExecute(mintTransaction(), signer, { walletMs: 5 })).toMatchObject({
    ok: false,
    error: { code: "wallet_timeout", action: { kind: "retry" }, mayHaveExecuted: false },
  });
  expect(hasSignature(storage)).toBe(false);
  expect(await flows.sponsorAndExecute(mintTransaction(), signer)).toMatchObject({
    ok: true,
    value: { isRepeat: false },
  });
  expect([signed.length, sponsorings(on.calls).length, executions(on.calls).length]).toEqual([1, 1, 1]);
});

test.each([
  ["its time", (_: AbortController) => ({ walletMs: 5 })],
  ["an abort", ({ signal }: AbortController) => ({ signal })],
])("a signature that comes after %s is neither kept nor sent", async (how, settings) => {
  const { on, flows, signer, signed, storage, asked, answer } = slowPage();
  const leaving = new AbortController();
  const left = flows.sponsorAndExecute(mintTransaction(), signer, settings(leaving));
  await asked;
  if (how === "an abort") leaving.abort();
  expect(await left).toMatchObject({ ok: false, error: { mayHaveExecuted: false } });
  const before = [...storage.kept];
  await answer();
  expect([...storage.kept]).toEqual(before);
  expect(executions(on.calls)).toEqual([]);
  expect(await flows.sponsorAndExecute(mintTransaction(), signer)).toMatchObject({ ok: true });
  // The user has signed the same bytes twice, and they were sent once.
  expect([signed.length, new Set(signed.map(String)).size, executions(on.calls).length]).toEqual([2, 1, 1]);
});

test("a late signature does not join the next call, whose wallet is open", async () => {
  const { on, flows, signer, signed, answer } = slowPage();
  await flows.sponsorAndExecute(mintTransaction(), signer, { walletMs: 5 });
  const reopened = Promise.withResolvers<void>();
  const silent = {
    ...signer,
    signTransaction: () => new Promise<never>(() => reopened.resolve()),
  };
  const leaving = new AbortController();
  const next = flows.sponsorAndExecute(mintTransaction(), silent, { signal: leaving.signal });
  await reopened.promise;
  await answer();
  expect([signed.length, executions(on.calls).length]).toEqual([1, 0]);
  leaving.abort();
  expect(await next).toMatchObject({ ok: false, error: { code: "aborted", mayHaveExecuted: false } });
});

test("a wallet that answers in time, however long that is, is no time-out", async () => {
  const { flows, signer } = page(stage(honest));
  const slow = {
    ...signer,
    async signTransaction(bytes: Uint8Array) {
      // A timer whose time is too large ends at once, before this one.
      await new Promise((resolve) => setTimeout(resolve, 20));
      return signer.signTransaction(bytes);
    },
  };
  const settings = { walletMs: Number.POSITIVE_INFINITY };
  expect(await flows.sponsorAndExecute(mintTransaction(), slow, settings)).toMatchObject({ ok: true });
});

test("a transaction whose build never ends is freed by an abort", async () => {
  const on = stage(honest);
  const { flows, signer } = page(on);
  const transaction = mintTransaction();
  const building = Promise.withResolvers<void>();
  const stuck = Object.assign(mintTransaction(), { build: () => new Promise<never>(() => building.resolve()) });
  const leaving = new AbortController();
  const left = flows.sponsorAndExecute(stuck, signer, { signal: leaving.signal });
  await building.promise;
  leaving.abort();
  expect(await left).toMatchObject({ ok: false, error: { code: "aborted", mayHaveExecuted: false } });
  expect(await flows.sponsorAndExecute(transaction, signer)).toMatchObject({ ok: true });
});
