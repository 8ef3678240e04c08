import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { userWallet } from "../../shared/workflow/wallet-clients.ts";

const flowsSecret = new Uint8Array(32).fill(7);

describe("the wallet of a user", () => {
  test("is what it always was: a change would be other wallets", () => {
    expect(userWallet({ issuer: "gasworks:flows:caller-secret", subject: "ada" }, flowsSecret)).toEqual({
      walletId: "WBM-vLczCzUqjCZw1AcAXfW_Z1Yim-b_GwyBRP7bia4",
      secret: "KUI5sFv12xB92TsU6liIG_GENw5kZJYflA8ZPmucOyk",
    });
  });

  test("follows from issuer, subject and the app's secret as shared/workflow/README.md says", () => {
    const named = Buffer.concat([
      Buffer.from([0, 3]),
      Buffer.from("iss"),
      Buffer.from([0, 5]),
      Buffer.from("zoë\u0000"),
    ]);
    const walletId = createHash("sha256").update(named).digest("base64url");
    const secret = createHmac("sha256", flowsSecret).update(`wallet${walletId}`).digest("base64url");
    expect(userWallet({ issuer: "iss", subject: "zoë\u0000" }, flowsSecret)).toEqual({ walletId, secret });
  });

  test("is another one however issuer and subject are cut, and its secret another one under another secret of the app", () => {
    const ids = [
      ["ab", "c"],
      ["a", "bc"],
      ["abc", ""],
      ["", "abc"],
    ].map(([issuer = "", subject = ""]) => userWallet({ issuer, subject }, flowsSecret).walletId);
    expect(new Set(ids).size).toBe(ids.length);
    const user = { issuer: "a", subject: "b" };
    const other = userWallet(user, new Uint8Array(32).fill(8));
    expect(other.walletId).toBe(userWallet(user, flowsSecret).walletId);
    expect(other.secret).not.toBe(userWallet(user, flowsSecret).secret);
  });
});
