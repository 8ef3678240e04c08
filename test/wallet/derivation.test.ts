import { Buffer } from "node:buffer";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { toHex } from "../../shared/bytes.ts";
import { root } from "../../shared/cli/root.ts";
import {
  createSecretDeriver,
  DERIVATION_LIMITS,
  MAX_SECRET_BYTES,
  type ProjectDerivation,
  SCRYPT_COST,
} from "../../shared/wallet/derivation.ts";
import { createThrottle, type Throttle, type ThrottleLimits } from "../../shared/wallet/throttle.ts";
import { endOf, expectDone, randomBytes } from "../support/custody.ts";
import { longTest, shortCases, shortTest } from "../support/rounds.ts";

const SALT = randomBytes(32);
const SCRYPT: ProjectDerivation = { derivation: "scrypt", salt: SALT };
const HKDF: ProjectDerivation = { derivation: "hkdf", salt: SALT };
const RANDOM = randomBytes(32);

/** These tests would wait for it, one after the other. */
const NO_REST = { ...DERIVATION_LIMITS, restFactor: 0 };
const derive = createSecretDeriver(createThrottle(NO_REST, Date.now));

async function derived(secret: string, project: ProjectDerivation): Promise<string> {
  return toHex(expectDone(await derive(secret, project)).bytes);
}

describe("a secret", () => {
  shortTest("has 1 to 1024 bytes of well-formed UTF-8", async () => {
    for (const good of ["x", "x".repeat(1024), "é".repeat(512), "🔑".repeat(256)])
      expect(await endOf(derive(good, SCRYPT)), `${good.length} units`).toBe("done");
    for (const bad of ["", "x".repeat(1025), `${"é".repeat(512)}x`, "🔑".repeat(257), "\ud83d", "x".repeat(10_000_000)])
      expect(await endOf(derive(bad, SCRYPT)), `${bad.length} units`).toBe("bad_params");
    expect(MAX_SECRET_BYTES).toBe(1024);
  });

  longTest("is not normalised: what only looks the same derives another", async () => {
    const [composed, decomposed, padded] = await Promise.all(["é", "e\u0301", "é "].map((s) => derived(s, SCRYPT)));
    expect(new Set([composed, decomposed, padded]).size).toBe(3);
  });

  longTest(
    "derives the same again in its project, and another in a project of another salt or derivation",
    async () => {
      const secret = Buffer.from(RANDOM).toString("hex");
      const otherSalt = randomBytes(32);
      const all = [SCRYPT, HKDF, { ...SCRYPT, salt: otherSalt }, { ...HKDF, salt: otherSalt }];
      const texts = await Promise.all(all.map((project) => derived(secret, project)));
      expect(new Set(texts).size).toBe(4);
      expect(await Promise.all(all.map((project) => derived(secret, project)))).toEqual(texts);
    },
  );

  shortTest("is in no refusal", async () => {
    for (const [secret, project] of [
      ["hunter2".repeat(200), SCRYPT],
      ["hunter2", HKDF],
    ] as const)
      expect(JSON.stringify(await derive(secret, project))).not.toContain("hunter2");
  });
});

describe("hkdf", () => {
  const bytes = (length: number) => Buffer.from(RANDOM).subarray(0, length);

  shortCases.each([
    ["hex of 32 bytes", bytes(32).toString("hex")],
    ["upper-case hex", bytes(32).toString("hex").toUpperCase()],
    ["base64url of 32 bytes", bytes(32).toString("base64url")],
    ["padded base64url", `${bytes(32).toString("base64url")}=`],
    ["base64url of 48 bytes", Buffer.concat([bytes(32), bytes(16)]).toString("base64url")],
  ])("takes %s", async (_, secret) => {
    expect(await endOf(derive(secret, HKDF))).toBe("done");
  });

  shortCases.each([
    ["a pass phrase", "correct horse battery staple, correct horse battery staple"],
    ["hex of 31 bytes", bytes(31).toString("hex")],
    ["hex of an odd length", `${bytes(32).toString("hex")}0`],
    ["base64url of 31 bytes", bytes(31).toString("base64url")],
    ["base64 that is not base64url", `${bytes(31).toString("base64url")}+/`],
    ["base64url of an impossible length", "A".repeat(45)],
    ["wrong padding", `${bytes(32).toString("base64url")}==`],
    ["trailing white space", `${bytes(32).toString("hex")}\n`],
  ])("refuses %s, and says what it takes", async (_, secret) => {
    const refused = await derive(secret, HKDF);
    expect(refused).toMatchObject({ ok: false, error: { reason: "bad_params" } });
    expect(JSON.stringify(refused)).toContain("at least 32 bytes, written in hex or base64url");
  });
});

describe("scrypt", () => {
  shortTest("costs what is documented, and no more than workerd allows (N·r·p ≤ 2^20) and an isolate can hold", () => {
    const { N, r, p } = SCRYPT_COST;
    expect([N, r, p]).toEqual([16_384, 8, 5]);
    expect(N * r * p).toBeLessThanOrEqual(2 ** 20);
    expect(DERIVATION_LIMITS.maxConcurrent * 128 * N * r).toBeLessThanOrEqual(32 * 1024 * 1024);
  });

  /** The real throttle, watched: how many derivations run in it at the same time. */
  function watched(limits: ThrottleLimits = NO_REST) {
    let running = 0;
    let most = 0;
    const throttle = createThrottle(limits, Date.now);
    const watching: Throttle = (work) =>
      throttle(async () => {
        running += 1;
        most = Math.max(most, running);
        try {
          return await work();
        } finally {
          running -= 1;
        }
      });
    return { derive: createSecretDeriver(watching), most: () => most };
  }

  longTest("runs at most twice at once, and all that fit into the queue get their turn", async () => {
    const { derive, most } = watched();
    const secrets = Array.from({ length: 4 }, (_, index) => `secret ${index}`);
    const outcomes = await Promise.all(secrets.map((secret) => derive(secret, SCRYPT)));
    expect(new Set(outcomes.map((outcome) => toHex(expectDone(outcome).bytes))).size).toBe(4);
    expect(most()).toBe(2);
  });

  longTest("is refused as too many requests beyond the queue, while hkdf waits for nobody", async () => {
    const [atOnce, waiting, more] = [DERIVATION_LIMITS.maxConcurrent, 3, 5];
    const { derive, most } = watched({ ...NO_REST, maxQueued: waiting, maxWaitMs: 60_000 });
    let left = atOnce + waiting + more;
    const ends = Array.from({ length: left }, (_, index) =>
      endOf(derive(`secret ${index}`, SCRYPT)).finally(() => {
        left -= 1;
      }),
    );
    expect(await endOf(derive(Buffer.from(RANDOM).toString("hex"), HKDF))).toBe("done");
    expect(left).toBeGreaterThan(0);
    expect((await Promise.all(ends)).filter((end) => end === "done")).toHaveLength(atOnce + waiting);
    expect((await Promise.all(ends)).filter((end) => end === "rate_limited")).toHaveLength(more);
    expect(most()).toBe(2);
  });
});

shortTest("no weaker derivation is anywhere in the service", async () => {
  for (const folder of ["functions", "shared"])
    for (const file of await readdir(join(root, folder), { recursive: true, withFileTypes: true }))
      if (file.isFile())
        expect(await readFile(join(file.parentPath, file.name), "utf8"), file.name).not.toMatch(/pbkdf2/i);
});

longTest("hkdf takes no secret that is plainly constant, in either writing", async () => {
  const salt = randomBytes(32);
  const constant = [0, 0xa5, 0xff].map((byte) => Buffer.alloc(32, byte));
  for (const bytes of constant)
    for (const secret of [bytes.toString("hex"), bytes.toString("base64url")]) {
      expect(await derive(secret, { derivation: "hkdf", salt })).toMatchObject({
        ok: false,
        error: { reason: "bad_params", details: expect.not.stringContaining(secret) },
      });
      expect(await derive(secret, { derivation: "scrypt", salt })).toMatchObject({ ok: true });
    }
});
