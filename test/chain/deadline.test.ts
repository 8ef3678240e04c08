import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EndpointMemory } from "../../shared/chain/endpoint-memory.ts";
import { READ_TIMEOUT_MS, readFirst, submitUntilDecided } from "../../shared/chain/failover.ts";
import { CALL_TIME_MS, Deadline } from "../../shared/deadline.ts";
import { done } from "../../shared/errors.ts";

const clock = { nowMs: () => 0 };
const endpoints = { network: "SUI_LOCALNET", urls: ["a", "b", "c"] } as const;

/** Resolves when it is aborted, and never otherwise. */
function hang(abort: AbortSignal): Promise<never> {
  return new Promise((_, reject) => abort.addEventListener("abort", () => reject(abort.reason), { once: true }));
}

/** A call whose time ends while its first endpoint hangs. */
function endingCall() {
  const asked: string[] = [];
  const ask = (url: string, abort: AbortSignal) => {
    asked.push(url);
    return hang(abort);
  };
  return { asked, ask, within: { leftMs: () => (asked.length === 0 ? 1 : 0) } };
}

describe("one deadline over all endpoints", () => {
  test("ends a question, and no further endpoint is asked", async () => {
    const { asked, ask, within } = endingCall();
    expect(await readFirst(endpoints, ask, within)).toMatchObject({
      ok: false,
      refusal: { reason: "node_unavailable", details: expect.stringContaining("no answer in time") },
    });
    expect(asked).toEqual(["a"]);
  });

  test("ends a submission: what was sent may have been taken, and nothing more is sent", async () => {
    const { asked, ask, within } = endingCall();
    const submit = (url: string, abort: AbortSignal) =>
      ask(url, abort).catch(({ message }: Error) => ({ kind: "unknown", text: message }));
    expect(await submitUntilDecided(endpoints, submit, undefined, within)).toEqual({
      kind: "unknown",
      text: "no answer in time",
    });
    expect(asked).toEqual(["a"]);
  });

  test("is over before the first endpoint: none is asked", async () => {
    const never = () => Promise.reject(new Error("asked"));
    const within = { leftMs: () => 0 };
    expect(await readFirst(endpoints, never, within)).toMatchObject({ refusal: { reason: "node_unavailable" } });
    expect(await submitUntilDecided(endpoints, never, undefined, within)).toMatchObject({ kind: "unknown" });
  });
});

describe("an endpoint that hangs", () => {
  const answering = (url: string) => Promise.resolve(url);

  test("costs the first question its time-out, and is then asked last for a minute", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => {
      vi.useRealTimers();
      now.mockRestore();
    });
    const remembered = { ...endpoints, memory: new EndpointMemory(clock) };
    const hangs = (url: string, abort: AbortSignal) => (url === "a" ? hang(abort) : answering(url));
    const asked = readFirst(remembered, hangs, new Deadline());
    await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS);
    expect(await asked).toEqual({ ok: true, value: "b" });
    now.mockReturnValue(60_999);
    expect(await readFirst(remembered, answering)).toEqual({ ok: true, value: "b" });
    const submit = (url: string) => Promise.resolve({ kind: "taken", url });
    expect(await submitUntilDecided(remembered, submit)).toEqual({ kind: "taken", url: "b" });
    now.mockReturnValue(61_001);
    expect(await readFirst(remembered, answering)).toEqual({ ok: true, value: "a" });
  });

  test("with a submission is asked last, too", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const remembered = { ...endpoints, memory: new EndpointMemory(clock) };
    const submit = async (url: string, abort: AbortSignal) =>
      url === "a"
        ? hang(abort).catch(() => ({ kind: "unknown", text: "no answer" }))
        : { kind: url === "b" ? "refused" : "taken", text: url };
    const submitted = submitUntilDecided(remembered, submit);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await submitted, "and the others are asked").toEqual({ kind: "taken", text: "c" });
    expect(await readFirst(remembered, answering)).toEqual({ ok: true, value: "b" });
  });

  test("is not one that fails at once, nor one that a call has no more time for", async () => {
    const remembered = { ...endpoints, memory: new EndpointMemory(clock) };
    const broken = (url: string) => (url === "a" ? Promise.reject(new Error("broken")) : answering(url));
    expect(await readFirst(remembered, broken)).toEqual({ ok: true, value: "b" });
    const { ask, within } = endingCall();
    await readFirst(remembered, ask, within);
    expect(await readFirst(remembered, answering)).toEqual({ ok: true, value: "a" });
  });
});

describe("a submission whose answer was lost", () => {
  /** What each endpoint answers, in their order, and who was asked. */
  function submitting(...kinds: readonly string[]) {
    const urls: readonly string[] = endpoints.urls;
    const asked: string[] = [];
    const submit = async (url: string) => {
      asked.push(url);
      return { kind: kinds[urls.indexOf(url)] ?? "unknown", text: url };
    };
    return { asked, submit };
  }

  test("is sent to the others, also past one that refuses it", async () => {
    const { asked, submit } = submitting("unknown", "refused", "taken");
    expect(await submitUntilDecided(endpoints, submit)).toEqual({ kind: "taken", text: "c" });
    expect(asked).toEqual(["a", "b", "c"]);
  });

  test("stays unknown where all the others refuse it", async () => {
    const { asked, submit } = submitting("unknown", "refused", "refused");
    expect(await submitUntilDecided(endpoints, submit)).toEqual({ kind: "unknown", text: "a" });
    expect(asked).toEqual(["a", "b", "c"]);
  });

  test("is not one that the first endpoint refuses: nobody else is asked", async () => {
    const { asked, submit } = submitting("refused", "taken");
    expect(await submitUntilDecided(endpoints, submit)).toEqual({ kind: "refused", text: "a" });
    expect(asked).toEqual(["a"]);
  });
});

describe("a call's deadline", () => {
  test("leaves two of the promised 25 seconds for the service itself", () => {
    expect(CALL_TIME_MS).toBeLessThanOrEqual(23_000);
    expect(new Deadline().leftMs()).toBeLessThanOrEqual(CALL_TIME_MS);
  });

  test("ends the wait for what others go on waiting for", async () => {
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof done<string>>>();
    const waiting = new Deadline(1).within(promise);
    expect(await waiting).toMatchObject({ ok: false, refusal: { reason: "node_unavailable" } });
    resolve(done("late"));
    expect(await new Deadline().within(promise)).toEqual({ ok: true, value: "late" });
  });

  test("does not hide a fault", async () => {
    await expect(new Deadline().within(Promise.reject(new Error("a fault")))).rejects.toThrow("a fault");
  });
});
