import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { eventTypes as known, verifyWebhook } from "../../shared/client/webhooks/index.ts";
import { eventTypes } from "../../shared/observe/events.ts";
import { secretText, signatureHeaders } from "../../shared/webhooks/sign.ts";

const NOW_MS = Date.UTC(2026, 10, 23, 20);
const timestampSeconds = NOW_MS / 1_000;
const [current, before, foreign] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const secret = secretText(current);
const id = "evt_00000000000000000000";
const data = { fundId: "fund_1", network: "SUI_MAINNET", available: "-1", lowBalance: "5" };
const body = JSON.stringify({ type: "fund.low_balance", timestamp: "2026-11-23T20:00:00.000Z", data });
const signed = signatureHeaders({ id, timestampSeconds, body }, [current]);

const reasonOf = async (...args: Parameters<typeof verifyWebhook>) => {
  const verified = await verifyWebhook(...args);
  return verified.ok ? "ok" : verified.error.reason;
};

test("an event that the service signed is read, from any kind of headers and body", async () => {
  const event = { id, type: "fund.low_balance", timestamp: "2026-11-23T20:00:00.000Z", data };
  const inCapitals = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value]));
  for (const headers of [signed, new Headers(signed), inCapitals])
    for (const received of [body, new TextEncoder().encode(body)])
      expect(await verifyWebhook(headers, received, secret, NOW_MS)).toEqual({ ok: true, value: event });
});

test("an event that the reference library signed is read", async () => {
  const signature = new Webhook(secret).sign(id, new Date(NOW_MS), body);
  const headers = { ...signed, "webhook-signature": signature };
  expect(await reasonOf(headers, body, secret, NOW_MS)).toBe("ok");
});

test("the types are those that the service sends", () => {
  expect(known).toEqual(eventTypes);
});

describe("while a secret is replaced", () => {
  test("the old one verifies what the service signs with both, and both verify what it signs with one", async () => {
    const both = signatureHeaders({ id, timestampSeconds, body }, [current, before]);
    expect(await reasonOf(both, body, secretText(before), NOW_MS)).toBe("ok");
    expect(await reasonOf(signed, body, [secretText(before), secret], NOW_MS)).toBe("ok");
    expect(await reasonOf(signed, body, [secretText(before), secretText(foreign)], NOW_MS)).toBe("bad_signature");
  });

  test("ten signatures are tried, and no more", async () => {
    const fill = (count: number) => Array.from({ length: count }, () => `v1,${"A".repeat(43)}=`);
    const behind = (count: number) => ({
      ...signed,
      "webhook-signature": [...fill(count), signed["webhook-signature"]].join(" "),
    });
    expect(await reasonOf(behind(9), body, secret, NOW_MS)).toBe("ok");
    expect(await reasonOf(behind(10), body, secret, NOW_MS)).toBe("bad_signature");
  });
});

describe("refused is", () => {
  test("any change of id, time, body, signature or secret", async () => {
    const changed = (name: string, value: string) => ({ ...signed, [name]: value });
    const signature = signed["webhook-signature"] ?? "";
    for (const headers of [
      changed("webhook-id", "evt_00000000000000000001"),
      changed("webhook-timestamp", String(timestampSeconds + 1)),
      changed("webhook-signature", signature.replace("v1,", "v1a,")),
      changed("webhook-signature", signature.slice(0, -4)),
      changed("webhook-signature", `v1,${signature.slice(3).split("").reverse().join("")}`),
      changed("webhook-signature", "v1,"),
    ])
      expect(await reasonOf(headers, body, secret, NOW_MS)).toBe("bad_signature");
    expect(await reasonOf(signed, `${body} `, secret, NOW_MS)).toBe("bad_signature");
    expect(await reasonOf(signed, body, secretText(foreign), NOW_MS)).toBe("bad_signature");
  });

  test("an attempt that is more than five minutes away, before or after", async () => {
    for (const [offsetMs, reason] of [
      [300_000, "ok"],
      [-300_000, "ok"],
      [300_001, "too_old_or_new"],
      [-300_001, "too_old_or_new"],
      [Number.NaN, "too_old_or_new"],
    ] as const)
      expect(await reasonOf(signed, body, secret, NOW_MS + offsetMs)).toBe(reason);
  });

  test("a time that is no number of seconds", async () => {
    for (const timestamp of ["soon", "1e9", "-1", `${timestampSeconds}.0`, "9".repeat(13)])
      expect(await reasonOf({ ...signed, "webhook-timestamp": timestamp }, body, secret, NOW_MS)).toBe("bad_timestamp");
  });

  test("a header that is missing, empty, or there twice", async () => {
    for (const name of Object.keys(signed)) {
      for (const value of [undefined, "", ["a", "b"]])
        expect(await reasonOf({ ...signed, [name]: value }, body, secret, NOW_MS)).toBe("missing_header");
      const twice = { ...signed, [name.toUpperCase()]: signed[name] };
      expect(await reasonOf(twice, body, secret, NOW_MS)).toBe("missing_header");
    }
  });

  test("an authentic body that is no event", async () => {
    for (const other of [
      '{"text":"Gasworks: …"}',
      "[]",
      "null",
      "no JSON",
      '{"type":"a","timestamp":"b","data":null}',
    ]) {
      const headers = signatureHeaders({ id, timestampSeconds, body: other }, [current]);
      expect(await reasonOf(headers, other, secret, NOW_MS)).toBe("bad_body");
    }
  });
});

test("an event of a newer service is handed over as unknown, with its own type", async () => {
  for (const type of ["fund.later", "unknown", "constructor"]) {
    const later = JSON.stringify({ type, timestamp: "2027-01-01T00:00:00Z", data: { more: [1] } });
    const headers = signatureHeaders({ id, timestampSeconds, body: later }, [current]);
    expect(await verifyWebhook(headers, later, secret, NOW_MS)).toEqual({
      ok: true,
      value: { id, type: "unknown", sentType: type, timestamp: "2027-01-01T00:00:00Z", data: { more: [1] } },
    });
  }
});

test("a secret that is none is a fault of the receiver, and the message does not hold it", async () => {
  for (const wrong of ["", "whsec_", "AAAA", "whsec_AAAA", "whsec_not base64", secret.replace("whsec_", "")]) {
    const verified = verifyWebhook(signed, body, wrong, NOW_MS);
    await expect(verified).rejects.toThrow(/whsec_ and 24 to 64 bytes/);
    if (wrong.length > 6) await expect(verified).rejects.not.toThrow(wrong);
  }
  await expect(verifyWebhook(signed, body, [], NOW_MS)).rejects.toThrow("give the webhook's secret");
});
