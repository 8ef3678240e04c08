import { expect, test } from "vitest";
import { toHex } from "../../shared/bytes.ts";
import { generateKeyPair } from "../../shared/crypto/signer.ts";
import { openRecord, sealWallet } from "../../shared/wallet/record.ts";
import { issueSession } from "../../shared/wallet/session/token.ts";
import { expectDone, masterKeys, randomBytes, randomSecret } from "../support/custody.ts";

const SEALS = 100_000;
const SESSIONS = 20_000;
const PROJECT = "prj_0000000000000000000a";
const SALT = [7, 39] as const;
const OUTER_NONCE = [39, 51] as const;
const INNER_NONCE = [33, 45] as const;
const SESSION_NONCE = [17, 29] as const;

test(`${SEALS} seals of one key, for one wallet and secret, repeat no salt and no nonce`, async () => {
  const wallet = { projectId: PROJECT, chain: "sui", walletId: "user-42" } as const;
  const [pair, secret, keys] = [await generateKeyPair(), randomSecret(), masterKeys("1")];
  const salts = new Set<string>();
  const nonces = new Set<string>();
  for (let seal = 0; seal < SEALS; seal += 1) {
    const stored = await sealWallet(pair, wallet, secret, keys, randomBytes);
    const { inner } = expectDone(await openRecord(stored, wallet, keys));
    salts.add(toHex(stored.record.slice(...SALT)));
    nonces.add(toHex(stored.record.slice(...OUTER_NONCE))).add(toHex(inner.slice(...INNER_NONCE)));
  }
  expect([salts.size, nonces.size]).toEqual([SEALS, 2 * SEALS]);
});

test(`${SESSIONS} sessions of one secret repeat no token, no store key and no nonce`, async () => {
  const session = { secret: randomSecret(), accessKeyId: "key_0123456789abcdef0123", epoch: 0 };
  const keys = masterKeys("1");
  const [tokens, storeKeys, nonces] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (let issue = 0; issue < SESSIONS; issue += 1) {
    const issued = await issueSession(session, PROJECT, 0, keys, randomBytes);
    tokens.add(issued.token);
    storeKeys.add(issued.storeKey);
    nonces.add(toHex(issued.storeValue.slice(...SESSION_NONCE)));
  }
  expect([tokens.size, storeKeys.size, nonces.size]).toEqual([SESSIONS, SESSIONS, SESSIONS]);
});
