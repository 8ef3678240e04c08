import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { expect, test } from "vitest";
import { type FlowState, type SuiExecuted, suiExecutor } from "../../../shared/client/flows/index.ts";
import type { FlowStorage } from "../../../shared/client/flows/ports.ts";
import {
  executions,
  honest,
  json,
  memoryStorage,
  mintTransaction,
  page,
  refusal,
  type Service,
  sponsorings,
  stage,
} from "./stage.ts";

/** Executions as the chain counts them: one for each signed transaction. */
function transactions(calls: Parameters<typeof executions>[0]): number {
  return new Set(executions(calls).map(({ body }) => body.txBytes)).size;
}

/** Executes, but the first `times` answers are lost. */
function losing(times: number): Service {
  return (seen, calls) => {
    const answer = honest(seen, calls);
    if (seen.path === "/flows/execute-sponsored" && executions(calls).length <= times) throw new Error("broken pipe");
    return answer;
  };
}

test("every state comes in its order, and ends with the result", async () => {
  const states: string[] = [];
  const { flows, signer } = page(stage(honest));
  const onState = (state: FlowState<SuiExecuted>) => states.push(state.step);
  const result = await flows.sponsorAndExecute(mintTransaction(), signer, { onState });
  expect(result).toMatchObject({ ok: true, value: { status: "success" } });
  expect(states).toEqual(["building", "sponsoring", "checking", "signing", "executing", "done"]);
});

test("a double click is one transaction, which is signed once", async () => {
  const on = stage(honest);
  const { flows, signer, signed } = page(on);
  const [first, second] = await Promise.all([
    flows.sponsorAndExecute(mintTransaction(), signer),
    flows.sponsorAndExecute(mintTransaction(), signer),
  ]);
  expect(first).toMatchObject({ ok: true });
  expect(second).toEqual(first);
  expect([signed.length, sponsorings(on.calls).length, executions(on.calls).length]).toEqual([1, 1, 1]);
});

test("a lost answer is asked for again by the same key, with the same bytes", async () => {
  const on = stage(losing(2));
  const { flows, signer, signed } = page(on);
  expect(await flows.sponsorAndExecute(mintTransaction(), signer)).toMatchObject({ ok: true });
  expect(new Set(executions(on.calls).map(({ key, body }) => `${key} ${body.txBytes} ${body.signature}`)).size).toBe(1);
  expect([signed.length, executions(on.calls).length]).toEqual([1, 3]);
});

test("after a reload the same transaction is executed, without another signature", async () => {
  const [storage, keypair] = [memoryStorage(), new Ed25519Keypair()];
  const before = stage(losing(99), storage);
  const first = page(before, keypair);
  expect(await first.flows.sponsorAndExecute(mintTransaction(), first.signer)).toMatchObject({
    ok: false,
    error: { code: "no_answer", mayHaveExecuted: true, action: { kind: "retry" } },
  });
  const after = stage(honest, storage);
  const second = page(after, keypair);
  expect(await second.flows.sponsorAndExecute(mintTransaction(), second.signer)).toMatchObject({ ok: true });
  expect(second.signed).toEqual([]);
  expect(sponsorings(after.calls)).toEqual([]);
  expect(transactions([...before.calls, ...after.calls])).toBe(1);
});

test("a call that goes on with a sent transaction says so, in its states and its result", async () => {
  const on = stage(losing(3));
  const { flows, signer } = page(on);
  const repeats: boolean[][] = [];
  const call = () => {
    const seen: boolean[] = [];
    repeats.push(seen);
    const onState = (state: FlowState<SuiExecuted>) => "isRepeat" in state && seen.push(state.isRepeat);
    return flows.sponsorAndExecute(mintTransaction(), signer, { onState });
  };
  expect(await call()).toMatchObject({ ok: false, error: { code: "no_answer", isOpen: true } });
  expect(await call()).toMatchObject({ ok: true, value: { isRepeat: true } });
  expect(repeats).toEqual([
    [false, false, false, false, false],
    [true, true],
  ]);
});

test("the same object asked again after a lost answer goes on, although its build resolved it", async () => {
  const on = stage(losing(3));
  const { flows, signer, signed } = page(on);
  const transaction = mintTransaction();
  expect(await flows.sponsorAndExecute(transaction, signer)).toMatchObject({ ok: false });
  expect(await flows.sponsorAndExecute(transaction, signer)).toMatchObject({ ok: true });
  expect(signed).toHaveLength(1);
});

test("a reload while the wallet is open shows the user the same transaction again", async () => {
  const [storage, keypair] = [memoryStorage(), new Ed25519Keypair()];
  const first = page(stage(honest, storage), keypair);
  const stop = new AbortController();
  const open = { ...first.signer, signTransaction: () => new Promise<never>(() => stop.abort()) };
  const left = await first.flows.sponsorAndExecute(mintTransaction(), open, { signal: stop.signal });
  expect(left).toMatchObject({ ok: false, error: { code: "aborted", mayHaveExecuted: false } });
  const after = stage(honest, storage);
  const second = page(after, keypair);
  expect(await second.flows.sponsorAndExecute(mintTransaction(), second.signer)).toMatchObject({ ok: true });
  expect([sponsorings(after.calls).length, second.signed.length]).toEqual([0, 1]);
});

test("a name is one transaction, also when its page is opened again after its end", async () => {
  const [storage, keypair] = [memoryStorage(), new Ed25519Keypair()];
  const first = page(stage(honest, storage), keypair);
  const result = await first.flows.sponsorAndExecute(mintTransaction("one"), first.signer, { name: "order 17" });
  const later = stage(honest, storage);
  const moved = { ...later, ports: { ...later.ports, nowMs: () => 1_800_000_900_000 } };
  const second = page(moved, keypair);
  const again = await second.flows.sponsorAndExecute(mintTransaction("two"), second.signer, { name: "order 17" });
  expect(result).toMatchObject({ ok: true, value: { isRepeat: false } });
  expect(again).toEqual({ ok: true, value: { ...(result.ok && result.value), isRepeat: true } });
  expect(later.calls).toEqual([]);
});

test.each<[string, FlowStorage | null]>([
  ["no storage", null],
  [
    "a full storage",
    {
      getItem: () => null,
      removeItem: () => {},
      setItem: () => {
        throw new DOMException("full", "QuotaExceededError");
      },
    },
  ],
  [
    "a forbidden storage",
    {
      getItem: () => {
        throw new DOMException("no", "SecurityError");
      },
      removeItem: () => {
        throw new DOMException("no", "SecurityError");
      },
      setItem: () => {
        throw new DOMException("no", "SecurityError");
      },
    },
  ],
])("%s: the page's memory keeps the attempt, and the states say so", async (_, storage) => {
  const on = stage(losing(3), storage);
  const { flows, signer, signed } = page(on);
  const durable: boolean[] = [];
  const onState = (state: FlowState<SuiExecuted>) => "isDurable" in state && durable.push(state.isDurable);
  expect(await flows.sponsorAndExecute(mintTransaction(), signer, { onState })).toMatchObject({ ok: false });
  expect(await flows.sponsorAndExecute(mintTransaction(), signer)).toMatchObject({ ok: true });
  expect(signed).toHaveLength(1);
  expect(durable.at(-1)).toBe(false);
});

test("damaged storage signs nothing that was not checked", async () => {
  const [storage, keypair] = [memoryStorage(), new Ed25519Keypair()];
  const first = page(stage(losing(99), storage), keypair);
  await first.flows.sponsorAndExecute(mintTransaction(), first.signer);
  for (const [key, value] of storage.kept)
    storage.kept.set(key, value.replace(/"txBytes\\":\\"AA/, '"txBytes\\":\\"BB'));
  const after = stage(honest, storage);
  const second = page(after, keypair);
  expect(await second.flows.sponsorAndExecute(mintTransaction(), second.signer)).toMatchObject({
    ok: false,
    error: { code: "not_what_was_asked", mayHaveExecuted: true },
  });
  expect(after.calls).toEqual([]);
});

test.each([
  ["rate_limited", 429, { kind: "wait", waitMs: 9_000 }, { "retry-after": "9" }],
  ["policy_refused", 403, { kind: "change" }, {}],
  ["unauthenticated", 401, { kind: "sign_in" }, {}],
  ["not_configured", 503, { kind: "contact" }, {}],
])("%s says what to do, and nobody signs", async (code, status, action, headers) => {
  const on = stage(() => json({ error: { code, message: code, retryable: status === 429 } }, status, headers));
  const { flows, signer, signed } = page(on);
  expect(await flows.sponsorAndExecute(mintTransaction(), signer)).toMatchObject({
    ok: false,
    error: { code, action, mayHaveExecuted: false },
  });
  expect(signed).toEqual([]);
});

test("a refusal after a lost answer leaves open whether the transaction was executed", async () => {
  const on = stage((seen, calls) => {
    if (seen.path === "/flows/sponsor") return honest(seen, calls);
    if (executions(calls).length === 1) throw new Error("broken pipe");
    return refusal(401, "unauthenticated");
  });
  const { flows, signer } = page(on);
  expect(await flows.sponsorAndExecute(mintTransaction(), signer)).toMatchObject({
    ok: false,
    error: { code: "unauthenticated", mayHaveExecuted: true, action: { kind: "sign_in" } },
  });
});

test("once its last epoch is over, a refused transaction makes place for a new attempt with a new key", async () => {
  const storage = memoryStorage();
  const keypair = new Ed25519Keypair();
  const before = stage(
    (seen, calls) => (seen.path === "/flows/sponsor" ? honest(seen, calls) : refusal(404, "sponsorship_expired")),
    storage,
  );
  const first = page(before, keypair);
  const call = (epoch: bigint) => first.flows.sponsorAndExecute(mintTransaction(), first.signer, { epoch });
  expect(await call(3n)).toMatchObject({ ok: false, error: { code: "sponsorship_expired", isOpen: true } });
  expect(await call(4n)).toMatchObject({
    ok: false,
    // Only the service says that it has not executed the signed transaction.
    error: { code: "sponsorship_expired", action: { kind: "retry" }, mayHaveExecuted: true, isOpen: false },
  });
  expect([first.signed.length, sponsorings(before.calls).length, transactions(before.calls)]).toEqual([1, 1, 1]);
  const after = stage(honest, storage);
  const second = page(after, keypair);
  // The honest service of this test would give the same bytes again: they are refused as used.
  expect(await second.flows.sponsorAndExecute(mintTransaction(), second.signer)).toMatchObject({
    ok: false,
    error: { code: "not_what_was_asked" },
  });
  expect(sponsorings(after.calls)[0]?.key).not.toBe(sponsorings(before.calls)[0]?.key);
});

test("an executor has the SDK's methods: in order, with its results, and it throws what to do", async () => {
  const on = stage(honest);
  const { flows, signer } = page(on);
  const executor = suiExecutor(flows, signer);
  const results = await Promise.all([
    executor.executeTransaction(mintTransaction("one")),
    executor.executeTransaction(mintTransaction("two")),
  ]);
  expect(results.map(({ $kind }) => $kind)).toEqual(["Transaction", "Transaction"]);
  expect(on.calls.map(({ path }) => path)).toEqual([
    "/flows/sponsor",
    "/flows/execute-sponsored",
    "/flows/sponsor",
    "/flows/execute-sponsored",
  ]);
  const refusing = suiExecutor(page(stage(() => refusal(403, "policy_refused"))).flows, signer);
  await expect(refusing.signAndExecuteTransaction({ transaction: mintTransaction() })).rejects.toMatchObject({
    error: { code: "policy_refused", action: { kind: "change" } },
  });
});

test("a page that may use no locks goes on without them", async () => {
  const on = stage(honest);
  const locks = { request: () => Promise.reject(new DOMException("no", "SecurityError")) };
  const { flows, signer } = page({ ...on, ports: { ...on.ports, locks } });
  expect(await flows.sponsorAndExecute(mintTransaction(), signer)).toMatchObject({ ok: true });
});

test("a name is one transaction also for another account, once the first has signed", async () => {
  const storage = memoryStorage();
  const before = stage(losing(99), storage);
  const first = page(before);
  expect(await first.flows.sponsorAndExecute(mintTransaction("one"), first.signer, { name: "order 18" })).toMatchObject(
    { ok: false },
  );
  const after = stage(honest, storage);
  const second = page(after);
  const settings = { name: "order 18" };
  expect(await second.flows.sponsorAndExecute(mintTransaction("two"), second.signer, settings)).toMatchObject({
    ok: true,
  });
  expect(second.signed).toEqual([]);
  expect(transactions([...before.calls, ...after.calls])).toBe(1);
});

test.each<[string, Service, boolean]>([
  ["no_answer", () => new Response("<html>", { status: 502 }), true],
  ["unexpected_answer", () => json({}), true],
  ["outcome_unknown", () => refusal(504, "outcome_unknown", { retryable: true }), true],
  ["internal", () => refusal(500, "internal"), true],
  ["rate_limited", () => refusal(429, "rate_limited", { retryable: true }), true],
  ["transaction_failed", () => refusal(422, "transaction_failed"), true],
  ["policy_refused", () => refusal(403, "policy_refused"), true],
])(
  "after %s of an execution, the error says that the signed transaction may have been executed",
  async (code, execute, mayHaveExecuted) => {
    const on = stage((seen, calls) => (seen.path === "/flows/sponsor" ? honest(seen, calls) : execute(seen, calls)));
    const { flows, signer } = page(on);
    expect(await flows.sponsorAndExecute(mintTransaction(), signer)).toMatchObject({
      ok: false,
      error: { code, mayHaveExecuted },
    });
  },
);

test("another tab, which sees one write after the other, sees the signature before the transaction counts as used", async () => {
  const storage = memoryStorage();
  const written: string[] = [];
  const watched = {
    ...storage,
    setItem: (key: string, value: string) => {
      written.push(`${key.replace(/[^.]*$/, "")}${value.includes('"signature"') ? "signed" : ""}`);
      storage.setItem(key, value);
    },
  };
  const { flows, signer } = page(stage(honest, watched));
  await flows.sponsorAndExecute(mintTransaction(), signer);
  const used = written.indexOf("gasworks.flows.used.");
  expect(written.indexOf("gasworks.flows.attempt.signed")).toBeGreaterThanOrEqual(0);
  expect(written.indexOf("gasworks.flows.attempt.signed")).toBeLessThan(used);
});

test("the other workflows are one typed call each", async () => {
  const wallet = { chain: "sui", walletId: "w", address: "0x1" };
  const on = stage(({ path }) => json(path === "/flows/sign-transaction" ? { signature: "s" } : wallet));
  const { calls } = page(on).flows;
  expect(await calls.createWalletOnChain({ chain: "sui" })).toEqual({ ok: true, value: wallet });
  expect(await calls.wallet({ chain: "sui" })).toEqual({ ok: true, value: wallet });
  expect(await calls.signTransaction({ chain: "sui", transaction: "AA==" })).toEqual({
    ok: true,
    value: { signature: "s" },
  });
  // An answer for the other chain is no answer.
  expect(await calls.wallet({ chain: "aptos" })).toMatchObject({ ok: false, error: { code: "unexpected_answer" } });
  expect(on.calls.map(({ path }) => path)).toEqual([
    "/flows/create-wallet-on-chain",
    "/flows/wallet",
    "/flows/sign-transaction",
    "/flows/wallet",
  ]);
});

test("of two callers of one run, one leaves and the other gets its end", async () => {
  const on = stage(honest);
  const { flows, signer, signed } = page(on);
  const leaving = new AbortController();
  const waiting = Promise.withResolvers<void>();
  const slow = {
    ...signer,
    async signTransaction(bytes: Uint8Array) {
      leaving.abort();
      await waiting.promise;
      return signer.signTransaction(bytes);
    },
  };
  const first = flows.sponsorAndExecute(mintTransaction(), slow, { signal: leaving.signal });
  const second = flows.sponsorAndExecute(mintTransaction(), slow);
  expect(await first).toMatchObject({ ok: false, error: { code: "aborted" } });
  waiting.resolve();
  expect(await second).toMatchObject({ ok: true });
  expect(signed).toHaveLength(1);
});
