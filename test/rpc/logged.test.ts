import { expect, test } from "vitest";
import { done, refuse } from "../../shared/errors.ts";
import { loggedParts } from "../../shared/rpc/logged.ts";

const DIGEST = "9".repeat(44);

test("the log shows the reason of a refusal, and never its details", () => {
  const refused = refuse("policy_refused", "the sender 0x1 is not allowed");
  expect(loggedParts([done(7), refused, refuse("bad_key", "")])).toEqual({ reason: "policy_refused" });
});

test("the log shows the digest of a transaction, by whatever name, and nothing else of a result", () => {
  for (const field of ["txDigest", "digest", "hash", "transactionHash"])
    expect(loggedParts([done({ [field]: DIGEST, txBytes: "AAAA", signature: "secret" })])).toEqual({ digest: DIGEST });
  expect(loggedParts([done({ hash: `0x${"a".repeat(64)}` })])).toEqual({ digest: `0x${"a".repeat(64)}` });
});

test("a text that is no digest is not shown, whoever sent it", () => {
  for (const digest of [
    7,
    null,
    "",
    "short",
    "a b".repeat(20),
    "x".repeat(65),
    `${DIGEST}\n`,
    "us1_sui_testnet_00112233445566",
  ])
    expect(loggedParts([done({ digest })])).toEqual({});
  for (const value of [null, "text", 7, [DIGEST], { token: DIGEST }]) expect(loggedParts([done(value)])).toEqual({});
});

test("a transaction within an answer, and one whose outcome is unknown, are named", () => {
  for (const field of ["pendingTransaction", "transaction"])
    expect(loggedParts([done({ [field]: { hash: DIGEST, digest: DIGEST } })])).toEqual({ digest: DIGEST });
  expect(loggedParts([refuse("outcome_unknown", "", { digest: DIGEST })])).toEqual({
    reason: "outcome_unknown",
    digest: DIGEST,
  });
});
