import { expect, test } from "vitest";
import { issueAccessKey, parseAccessKey } from "../../shared/access/key-format.ts";
import { issueOperatorToken, parseOperatorToken } from "../../shared/directory/token-format.ts";

const peppers = {
  current: 2,
  byVersion: new Map([1, 2].map((version) => [version, new Uint8Array(32).fill(version)])),
};
const onlyNew = { current: 2, byVersion: new Map([[2, new Uint8Array(32).fill(2)]]) };
const tokenId = `adm_${"0123456789".repeat(2)}`;
const secret = Uint8Array.from({ length: 16 }, (_, index) => index);

test("a token is read back with its id and secret, under old peppers, too", () => {
  const old = issueOperatorToken(tokenId, secret, { ...peppers, current: 1 });
  for (const text of [old, issueOperatorToken(tokenId, secret, peppers)])
    expect(parseOperatorToken(text, peppers)).toEqual({ tokenId, secret });
  expect(parseOperatorToken(old, onlyNew)).toBeNull();
});

test("a token with any other character at any place is none", () => {
  const text = issueOperatorToken(tokenId, secret, peppers);
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === "0" ? "1" : "0";
    expect(parseOperatorToken(text.slice(0, at) + other + text.slice(at + 1), peppers), `at ${at}`).toBeNull();
    expect(parseOperatorToken(text.slice(0, at) + text.slice(at + 1), peppers), `without ${at}`).toBeNull();
  }
  for (const other of ["", "admin_", text.toUpperCase(), `${text}0`, ` ${text}`, `${text}\n`])
    expect(parseOperatorToken(other, peppers)).toBeNull();
});

test("no access key is a token, and no token is an access key", () => {
  const key = { region: "us1", network: "SUI_LOCALNET", keyId: tokenId.replace("adm_", "key_"), secret } as const;
  const accessKey = issueAccessKey(key, peppers);
  expect(parseOperatorToken(accessKey.replace("us1_sui_localnet_", "admin_"), peppers)).toBeNull();
  expect(parseAccessKey(issueOperatorToken(tokenId, secret, peppers))).toBeNull();
});
