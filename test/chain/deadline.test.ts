import { describe, expect, onTestFinished, test, vi } from "vitest";
import { oversized } from "../../shared/chain/bounded-reply.ts";
import { EndpointMemory } from "../../shared/chain/endpoint-memory.ts";
import { httpFault, READ_TIMEOUT_MS, readFirst, readNewest, submitUntilDecided } from "../../shared/chain/failover.ts";
import { CALL_TIME_MS, Deadline } from "../../shared/deadline.ts";
import { done } from "../../shared/errors.ts";

const clock = { nowMs: () => 0 };
const MINUTE_MS = 60_000;
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
      error: { reason: "node_unavailable", details: expect.stringContaining("no answer in time") },
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
    expect(await readFirst(endpoints, never, within)).toMatchObject({ error: { reason: "node_unavailable" } });
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

  test("with a submission is the last to be sent the next one: how long that takes may depend on what is sent", async () => {
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
    expect(await readFirst(remembered, answering), "of questions this says nothing").toMatchObject({ value: "a" });
    const sentTo: string[] = [];
    const take = async (url: string) => {
      sentTo.push(url);
      return { kind: "taken", text: url };
    };
    expect(await submitUntilDecided(remembered, take)).toMatchObject({ text: "b" });
    // The others lag: it is still the best to send to, and it answers.
    for (const url of ["b", "c"]) remembered.memory.noteTime(url, -2 * MINUTE_MS);
    for (let times = 0; times < 2; times++) await submitUntilDecided(remembered, take);
    for (const url of ["b", "c"]) remembered.memory.noteTime(url, 0);
    await submitUntilDecided(remembered, take);
    expect(sentTo).toEqual(["b", "a", "a", "a"]);
  });

  test("is asked in its turn again as soon as it answers", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const remembered = { ...endpoints, memory: new EndpointMemory(clock) };
    const hangs = (url: string, abort: AbortSignal) => (url === "a" ? hang(abort) : answering(url));
    const asked = readFirst(remembered, hangs);
    await vi.advanceTimersByTimeAsync(READ_TIMEOUT_MS);
    await asked;
    const onlyFirst = (url: string) => (url === "a" ? answering(url) : Promise.reject(new Error("broken")));
    expect(await readFirst(remembered, answering)).toMatchObject({ value: "b" });
    expect(await readFirst(remembered, onlyFirst)).toMatchObject({ value: "a" });
    expect(await readFirst(remembered, answering)).toMatchObject({ value: "a" });
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

describe("an endpoint whose reply exceeds its bound", () => {
  const answering = (url: string) => Promise.resolve(url);
  const tooLongAt =
    (...urls: readonly string[]) =>
    (url: string) =>
      urls.includes(url) ? Promise.reject(new Error(oversized(7))) : answering(url);

  test("is asked last while another one answers the same question within it", async () => {
    const remembered = { ...endpoints, memory: new EndpointMemory(clock) };
    expect(await readFirst(remembered, tooLongAt("a"))).toMatchObject({ value: "b" });
    expect(await readFirst(remembered, answering)).toMatchObject({ value: "b" });
    expect(await readFirst(remembered, tooLongAt("b", "c"))).toMatchObject({ value: "a" });
    expect(await readFirst(remembered, answering), "as soon as it answers").toMatchObject({ value: "a" });
  });

  test("is asked as before where no other one answers: whoever asks can make an answer too large", async () => {
    const remembered = { ...endpoints, memory: new EndpointMemory(clock) };
    const broken = (url: string) => (url === "c" ? Promise.reject(new Error("broken")) : tooLongAt("a", "b")(url));
    expect(await readFirst(remembered, broken)).toMatchObject({ ok: false });
    expect(await readFirst(remembered, answering)).toMatchObject({ value: "a" });
  });

  test("is asked as before where the only other one lags, which may not know yet what is large", async () => {
    const remembered = { ...endpoints, memory: new EndpointMemory(clock) };
    const old = { value: "old", timeMs: -2 * MINUTE_MS };
    const first = async (url: string) => (url === "b" ? old : { value: await tooLongAt("a", "c")(url), timeMs: 0 });
    expect(await readNewest(remembered, first)).toEqual({ ok: true, value: "old" });
    expect(await readFirst(remembered, answering)).toMatchObject({ value: "a" });
  });

  test("is asked although it floods where another one lags", async () => {
    const remembered = { ...endpoints, memory: new EndpointMemory(clock) };
    expect(await readFirst(remembered, tooLongAt("a"))).toMatchObject({ value: "b" });
    const told = (url: string) => Promise.resolve({ value: url, timeMs: url === "a" ? 0 : -2 * MINUTE_MS });
    expect(await readNewest(remembered, told)).toEqual({ ok: true, value: "a" });
  });
});

describe("where one endpoint alone answers, and what it shows is old", () => {
  const OLD_MS = -2 * MINUTE_MS;

  /** Asks the only endpoint that answers, and the others that are dead or not. */
  function stalled(isDown: () => boolean) {
    const memory = new EndpointMemory(clock);
    const asked: string[] = [];
    const ask = async (url: string) => {
      asked.push(url);
      if (url !== "a" && isDown()) throw new Error("Network connection lost.");
      return { value: url, timeMs: url === "a" ? OLD_MS : 0 };
    };
    const askedBy = async () => {
      asked.length = 0;
      const answer = await readNewest({ ...endpoints, memory }, ask);
      return [...asked, answer.ok ? answer.value : answer.error.reason];
    };
    return { memory, askedBy };
  }

  test("it is compared with itself once the others have been dead for a minute", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
    onTestFinished(() => now.mockRestore());
    const { memory, askedBy } = stalled(() => true);
    expect(await askedBy()).toEqual(["a", "b", "c", "a"]);
    now.mockReturnValue(60_999);
    expect(await askedBy(), "they may come back").toEqual(["b", "c", "a", "a"]);
    now.mockReturnValue(61_001);
    expect(await askedBy()).toEqual(["b", "c", "a", "a"]);
    expect(await askedBy(), "not every question asks all").toEqual(["a", "a"]);
    expect(memory.noteTime("a", OLD_MS)).toBe("current");
  });

  test("it is not while one of the others has answered within the minute", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
    onTestFinished(() => now.mockRestore());
    let isDown = true;
    const { memory, askedBy } = stalled(() => isDown);
    await askedBy();
    isDown = false;
    now.mockReturnValue(50_000);
    expect(await askedBy()).toEqual(["b", "b"]);
    isDown = true;
    now.mockReturnValue(62_000);
    await askedBy();
    expect(memory.noteTime("a", OLD_MS)).toBe("behind");
  });
});

const ENDPOINT_URLS: readonly string[] = endpoints.urls;

describe("a submission to an endpoint to which no connection is made", () => {
  const submitting =
    (first: string, ...kinds: readonly string[]) =>
    (url: string) => {
      const index = ENDPOINT_URLS.indexOf(url);
      return Promise.resolve(
        index === 0 ? { kind: "unknown", text: first } : { kind: kinds[index - 1] ?? "", text: url },
      );
    };

  test.each([521, 523, 525, 526, 530])("HTTP %i of Cloudflare: another one's refusal stands", async (status) => {
    const submit = submitting(httpFault(status), "refused");
    expect(await submitUntilDecided(endpoints, submit)).toEqual({ kind: "refused", text: "b" });
  });

  test.each([500, 502, 503, 520, 522, 524])("is not one that answers HTTP %i", async (status) => {
    const submit = submitting(httpFault(status), "refused", "refused");
    expect(await submitUntilDecided(endpoints, submit)).toMatchObject({ kind: "unknown" });
  });

  test("is of an unknown outcome where no other endpoint says more", async () => {
    const submit = async () => ({ kind: "unknown", text: httpFault(521) });
    expect(await submitUntilDecided(endpoints, submit)).toMatchObject({ kind: "unknown" });
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
    expect(await waiting).toMatchObject({ ok: false, error: { reason: "node_unavailable" } });
    resolve(done("late"));
    expect(await new Deadline().within(promise)).toEqual({ ok: true, value: "late" });
  });

  test("does not hide a fault", async () => {
    await expect(new Deadline().within(Promise.reject(new Error("a fault")))).rejects.toThrow("a fault");
  });
});
