import { describe, expect, test } from "vitest";
import { equalBytes, utf8 } from "../../../shared/bytes.ts";
import { plainMasterKeys } from "../../../shared/crypto/master-keys.ts";
import { rpcErrorOf } from "../../../shared/errors.ts";
import {
  type IssuedSession,
  issueSession,
  parseToken,
  SESSION_LIFETIME_MS,
  STORE_VALUE_BYTES,
} from "../../../shared/wallet/session/token.ts";
import { alterations, endOf, expectDone, masterKeys, randomBytes, randomSecret } from "../../support/custody.ts";

const PROJECT = "prj_0000000000000000000a";
const ISSUED_AT_MS = 1_750_000_000_999;
const EPOCH = 7;
const NOW = { nowMs: ISSUED_AT_MS, epoch: EPOCH };
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const session = { secret: randomSecret("scrypt"), accessKeyId: "key_0123456789abcdef0123", epoch: EPOCH };

function issue(projectId = PROJECT, keys = masterKeys("1")): Promise<IssuedSession> {
  return issueSession(session, projectId, ISSUED_AT_MS, keys, randomBytes);
}

interface Use {
  readonly projectId?: string;
  readonly storeValue?: Uint8Array | null;
  readonly nowMs?: number;
  readonly epoch?: number;
  readonly keys?: ReturnType<typeof masterKeys>;
}

/** What a call of a wallet method does with a session. */
async function use({ token, storeValue: stored }: IssuedSession, changed: Use = {}) {
  const { projectId = PROJECT, keys = masterKeys("1"), storeValue = stored, ...now } = changed;
  const half = await parseToken(token, projectId, keys);
  return half.ok ? half.value.open(storeValue, { ...NOW, ...now }) : half;
}

describe("a session", () => {
  test("gives the derived secret back, to any number of calls", async () => {
    const issued = await issue();
    expect(issued.token).toHaveLength(55);
    expect(issued.storeValue).toHaveLength(STORE_VALUE_BYTES);
    const times = { issuedAtMs: ISSUED_AT_MS, expiresAtMs: ISSUED_AT_MS + 600_000 };
    for (let call = 0; call < 3; call += 1) expect(expectDone(await use(issued))).toEqual({ ...session, ...times });
  });

  test("works from 0 s to 599 s, and not at 600 s", async () => {
    const issued = await issue();
    for (const seconds of [0, 1, 300, 599, 599.999])
      expect(await endOf(use(issued, { nowMs: ISSUED_AT_MS + seconds * 1000 })), `${seconds} s`).toBe("done");
    for (const seconds of [600, 600.001, 86_400])
      expect(await endOf(use(issued, { nowMs: ISSUED_AT_MS + seconds * 1000 })), `${seconds} s`).toBe(
        "bad_session_token",
      );
    expect(issued.expiresAtMs).toBe(ISSUED_AT_MS + SESSION_LIFETIME_MS);
  });

  test("that a fast clock has made ends when the clock is right again, and not hours later", async () => {
    const issued = await issue();
    for (const seconds of [1, 59, 60])
      expect(await endOf(use(issued, { nowMs: ISSUED_AT_MS - seconds * 1000 })), `${seconds} s`).toBe("done");
    for (const seconds of [61, 600, 3_600])
      expect(await endOf(use(issued, { nowMs: ISSUED_AT_MS - seconds * 1000 })), `${seconds} s`).toBe(
        "bad_session_token",
      );
  });

  test("is worth nothing in another project, also before any look-up", async () => {
    const issued = await issue();
    expect(await endOf(parseToken(issued.token, "prj_0000000000000000000b", masterKeys("1")))).toBe(
      "bad_session_token",
    );
  });

  test("ends when the project's epoch is raised, and is good for callers who have not heard of its epoch", async () => {
    const issued = await issue();
    expect(await endOf(use(issued, { epoch: EPOCH + 1 }))).toBe("bad_session_token");
    expect(await endOf(use(issued, { epoch: EPOCH }))).toBe("done");
    expect(await endOf(use(issued, { epoch: EPOCH - 1 }))).toBe("done");
  });

  test("needs the half in the store: its own, of its own making", async () => {
    const [issued, other] = [await issue(), await issue()];
    expect(await endOf(use(issued, { storeValue: null }))).toBe("bad_session_token");
    expect(await endOf(use(issued, { storeValue: other.storeValue }))).toBe("bad_session_token");
    expect(issued.storeKey).not.toBe(other.storeKey);
  });

  test("with any byte of the stored half altered, cut off or added is refused", async () => {
    const issued = await issue();
    for (const { at, altered } of alterations(issued.storeValue))
      expect(await endOf(use(issued, { storeValue: altered })), `byte ${at}`).toBe("bad_session_token");
    for (let length = 0; length < STORE_VALUE_BYTES; length += 1)
      expect(await endOf(use(issued, { storeValue: issued.storeValue.slice(0, length) }))).toBe("bad_session_token");
    const prolonged = Uint8Array.of(...issued.storeValue, 0);
    expect(await endOf(use(issued, { storeValue: prolonged }))).toBe("bad_session_token");
  });

  test("with any character of the token altered is refused without a look-up", async () => {
    const { token } = await issue();
    for (let at = 0; at < token.length; at += 1) {
      const value = BASE64URL.indexOf(token.charAt(at));
      // The neighbour in value differs in the lowest bit alone, which is a spare bit of the last character.
      for (const other of [BASE64URL.charAt(value ^ 1), BASE64URL.charAt(value ^ 32), "=", " "]) {
        const altered = token.slice(0, at) + other + token.slice(at + 1);
        expect(await endOf(parseToken(altered, PROJECT, masterKeys("1", "2"))), `character ${at}`).toBe(
          "bad_session_token",
        );
      }
    }
    for (const text of ["", "ivs_", token.slice(0, -1), `${token}A`, ` ${token}`, `${token}\n`, token.toUpperCase()])
      expect(await endOf(parseToken(text, PROJECT, masterKeys("1"))), text).toBe("bad_session_token");
  });

  test("is refused with one text that clients know, whatever is wrong with it", async () => {
    const issued = await issue();
    const refusals = await Promise.all([
      parseToken("", PROJECT, masterKeys("1")),
      parseToken(issued.token, "prj_0000000000000000000b", masterKeys("1")),
      use(issued, { storeValue: null }),
      use(issued, { storeValue: utf8("x") }),
      use(issued, { nowMs: issued.expiresAtMs }),
      use(issued, { epoch: EPOCH + 1 }),
    ]);
    for (const refused of refusals) {
      if (refused.ok) throw new Error("it opened");
      expect(rpcErrorOf(refused.error)).toEqual({
        code: -32602,
        message: "Invalid params",
        data: { details: "Bad session token" },
      });
    }
  });

  test("is sealed under the current master key, outlives a rotation, and ends with its master key", async () => {
    const old = await issue();
    expect(await endOf(use(old, { keys: masterKeys("1", "2") }))).toBe("done");
    expect(await endOf(use(old, { keys: masterKeys("2") }))).toBe("bad_session_token");
    const current = await issue(PROJECT, masterKeys("1", "2"));
    expect(await endOf(use(current, { keys: masterKeys("2") }))).toBe("done");
    expect(await endOf(use(current))).toBe("bad_session_token");
  });

  test("of a master key that only has the same version is refused", async () => {
    const issued = await issue();
    const imitation = plainMasterKeys({ current: 1, byVersion: new Map([[1, randomBytes(32)]]) });
    expect(await endOf(use(issued, { keys: imitation }))).toBe("bad_session_token");
  });

  test("is sealed in the store: the derived secret is not among its bytes", async () => {
    const issued = await issue();
    const found = Array.from({ length: STORE_VALUE_BYTES - 31 }, (_, at) => issued.storeValue.slice(at, at + 32));
    expect(found.some((bytes) => equalBytes(bytes, session.secret.bytes))).toBe(false);
  });

  test("belongs to an access key", async () => {
    const nobody = { ...session, accessKeyId: "key_123" };
    await expect(issueSession(nobody, PROJECT, ISSUED_AT_MS, masterKeys("1"), randomBytes)).rejects.toThrow(
      "access key",
    );
  });
});
