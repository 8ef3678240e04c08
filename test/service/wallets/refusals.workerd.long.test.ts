import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { aptosWallet } from "../../../shared/api/aptos-wallet.ts";
import type { MethodContract } from "../../../shared/api/contract.ts";
import { suiWalletContracts } from "../../../shared/api/sui-wallet-aliases.ts";
import { type WalletRef, walletName } from "../../../shared/wallet/context.ts";
import { alterations } from "../../support/custody.ts";
import { walletApis } from "../../support/wallet-api.ts";
import {
  admin,
  badToken,
  call,
  newFundKey,
  newKey,
  newProject,
  OTHER_SECRET,
  SECRET,
  walletExists,
} from "../../support/wallets.ts";

/** All that a caller learns, and no word more: not whose wallet it is, nor whether anybody has one of that name. */
const errors = {
  bad_session_token: badToken,
  unknown_wallet: invalidParams("unknown_wallet", "this project has no such wallet on this chain: create it first"),
  wallet_exists: walletExists,
  wrong_secret: invalidParams(
    "wrong_secret",
    "this wallet was created with another secret than that of this session: create a session with that secret",
  ),
  corrupt_record: {
    code: -32603,
    message: "Internal error",
    data: {
      details: "the stored record of this wallet does not authenticate: have the operator restore a backup",
      reason: "corrupt_record",
    },
  },
};

function invalidParams(reason: string, details: string) {
  return { code: -32602, message: "Invalid params", data: { details, reason } };
}

const methods = [...suiWalletContracts, aptosWallet].flatMap(({ chain, path, methods }) =>
  methods.map((contract) => ({ chain, path, contract, title: `${path} ${contract.name}` })),
);
type Method = (typeof methods)[number];

function names({ params }: MethodContract): readonly string[] {
  return Object.keys(params.shape);
}
const idNames = ["walletId", "wallet_id"];
const tokenNames = ["sessionToken", "session_token"];
const ofWallet = methods.filter(({ contract }) => names(contract).some((name) => idNames.includes(name)));
const ofSession = ofWallet.filter(({ contract }) => names(contract).some((name) => tokenNames.includes(name)));
const makesWallet = ({ contract }: Method) => /createWallet|importWallet/.test(contract.name);

interface Given {
  readonly walletId: string;
  readonly token: string;
  /** Of the wallet that signs. */
  readonly address: string;
}

/** The contract's example, for this wallet and session. */
function callMethod({ path, contract }: Method, key: string, { walletId, token, address }: Given): Promise<unknown> {
  const params = names(contract).map((name, index) => {
    if (idNames.includes(name)) return walletId;
    if (tokenNames.includes(name)) return token;
    const value = contract.example.params[index] ?? null;
    // An Aptos transaction begins with its sender.
    return name === "rawTransaction" ? `${address}${String(value).slice(address.length)}` : value;
  });
  return call(key, contract.name, params, { path });
}

const usesFund = ({ contract }: Pick<Method, "contract">) => contract.rights.includes("gas");

async function app(method: Pick<Method, "chain"> & Partial<Method>, walletId = "user-1") {
  const api = walletApis[method.chain];
  const projectId = await newProject();
  await admin("PATCH", `/projects/${projectId}`, { exportEnabled: true });
  const { contract } = method;
  const key =
    contract !== undefined && usesFund({ contract })
      ? await newFundKey(projectId, api.network, contract.rights)
      : await newKey(projectId, api.network);
  const token = await api.session(key);
  const address = z.string().parse(await api.create(key, walletId, token));
  return { projectId, key, token, address, walletId, api };
}

/** The wallet is the caller's, and opens. What comes then is for a fund that is empty, and a node that is not there. */
function expectOpens(method: Method, answer: unknown): void {
  if (usesFund(method))
    expect(answer).toMatchObject({ data: { reason: expect.stringMatching(/^(balance_too_low|node_unavailable)$/) } });
  else expect(errorOf(answer)).toBe(null);
}

function errorOf(answer: unknown): unknown {
  return z.object({ code: z.number() }).safeParse(answer).success ? answer : null;
}

describe.each(ofSession)("$title", (method) => {
  test("refuses every token that is none of this project's, in the same words", async () => {
    const own = await app(method);
    const other = await app(method, "user-2");
    await admin("POST", `/projects/${own.projectId}/revoke-sessions`);
    for (const token of ["x", `ivs_${"A".repeat(51)}`, other.token, own.token, SECRET])
      expect(await callMethod(method, own.key, { ...own, token })).toEqual(errors.bad_session_token);
    const token = await own.api.session(own.key);
    for (const { name } of (await env.KV.list()).keys) await env.KV.delete(name);
    expect(await callMethod(method, own.key, { ...own, token })).toEqual(errors.bad_session_token);
  });
});

describe.each(ofSession.filter((method) => !makesWallet(method)))("$title", (method) => {
  test("refuses another secret than the wallet's", async () => {
    const own = await app(method);
    const token = await own.api.session(own.key, OTHER_SECRET);
    expect(await callMethod(method, own.key, { ...own, token })).toEqual(errors.wrong_secret);
    expectOpens(method, await callMethod(method, own.key, own));
  });
});

describe.each(ofWallet.filter((method) => !makesWallet(method)))("$title", (method) => {
  test("knows no wallet of another project, of another chain or of nobody, in the same words", async () => {
    const own = await app(method);
    const stranger = await app(method, "another");
    for (const walletId of ["user-1", "nobody's"])
      expect(await callMethod(method, stranger.key, { ...stranger, walletId })).toEqual(errors.unknown_wallet);
    const otherChain = walletApis[method.chain === "sui" ? "aptos" : "sui"];
    const otherKey = await newKey(own.projectId, otherChain.network);
    await otherChain.create(otherKey, "elsewhere", await otherChain.session(otherKey));
    expect(await callMethod(method, own.key, { ...own, walletId: "elsewhere" })).toEqual(errors.unknown_wallet);
  });

  test("says of a record that does not authenticate only that", async () => {
    const own = await app(method);
    await runInDurableObject(objectOf({ ...own, chain: method.chain }), (_, { storage }) => {
      storage.sql.exec("UPDATE wallet SET record = ?", new Uint8Array(176).buffer);
    });
    await evictDurableObject(objectOf({ ...own, chain: method.chain }));
    expect(await callMethod(method, own.key, own)).toEqual(errors.corrupt_record);
  });
});

describe.each(ofSession.filter(makesWallet))("$title", (method) => {
  test("refuses an id that exists, and sees nothing of another project's wallet of that id", async () => {
    const own = await app(method);
    const stranger = await app(method, "another");
    expect(await callMethod(method, own.key, own)).toEqual(errors.wallet_exists);
    expectOpens(method, await callMethod(method, stranger.key, { ...stranger, walletId: "user-1" }));
    expect(await own.api.get(own.key, "user-1")).toBe(own.address);
    expect(await stranger.api.get(stranger.key, "user-1")).not.toBe(own.address);
  });
});

test("every method of wallets is among those", () => {
  const found = ofWallet.map(({ title }) => title);
  expect(found).toHaveLength(28);
  const others = methods.filter(({ title }) => !found.includes(title)).map(({ contract }) => contract.name);
  expect([...new Set(others)]).toEqual(["svc_key_createSession"]);
});

function objectOf(wallet: WalletRef) {
  return env.WALLET.getByName(walletName(wallet));
}

type StoredRow = Readonly<Record<string, SqlStorageValue>>;

function rowOf(wallet: WalletRef): Promise<StoredRow> {
  return runInDurableObject(objectOf(wallet), (_, { storage }) => storage.sql.exec("SELECT * FROM wallet").one());
}

/** On disk, and read from there again. */
async function setColumns(wallet: WalletRef, columns: StoredRow): Promise<void> {
  await runInDurableObject(objectOf(wallet), (_, { storage }) => {
    for (const [name, value] of Object.entries(columns)) storage.sql.exec(`UPDATE wallet SET ${name} = ?`, value);
  });
  await evictDurableObject(objectOf(wallet));
}

function copyOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

function bytesOfColumn(value: SqlStorageValue | undefined): Uint8Array {
  return new Uint8Array(z.instanceof(ArrayBuffer).parse(value));
}

const uses = ofWallet.filter((method) => method.path === "/wallet/v1" && !makesWallet(method));

/** What reads, signs, executes and exports answer. */
function useAll(key: string, given: Given): Promise<readonly unknown[]> {
  return Promise.all(uses.map((method) => callMethod(method, key, given)));
}

async function expectAllOpen(key: string, given: Given): Promise<void> {
  const answers = await useAll(key, given);
  for (const [index, method] of uses.entries()) expectOpens(method, answers[index]);
}

/** With a key that may use every method. */
function appOfAll() {
  return app({ chain: "sui", ...uses.find(usesFund) });
}

/** Bytes of the record. A version that is not configured is an operator's mistake until it is known to be none. */
const MASTER_KEY_VERSION = [5, 6];
const keyMissing = expect.objectContaining({
  code: -32603,
  data: expect.objectContaining({ reason: "master_key_missing" }),
});

describe("what is stored of a wallet", () => {
  test("with any byte of the record or the public key altered is refused as corrupt by every method", async () => {
    const own = await appOfAll();
    const wallet = { ...own, chain: "sui" } as const;
    const row = await rowOf(wallet);
    for (const column of ["record", "public_key"]) {
      const bytes = bytesOfColumn(row[column]);
      expect(bytes).toHaveLength(column === "record" ? 176 : 32);
      for (const { at, altered } of alterations(bytes).filter((_, index) => index % 6 === 0)) {
        await setColumns(wallet, { [column]: copyOf(altered) });
        const ofVersion = column === "record" && MASTER_KEY_VERSION.includes(at);
        const expected = uses.map(() => (ofVersion ? keyMissing : errors.corrupt_record));
        expect(await useAll(own.key, own), `${column}, byte ${at}`).toEqual(expected);
      }
      await setColumns(wallet, { [column]: copyOf(bytes) });
    }
    await expectAllOpen(own.key, own);
  });

  test("in the place of another wallet, chain or project is a corrupt record, even as the whole row", async () => {
    const own = await appOfAll();
    const { api, key, projectId } = own;
    await api.create(key, "user-2", own.token);
    const aptosKey = await newKey(projectId, walletApis.aptos.network);
    await walletApis.aptos.create(aptosKey, "user-1", await walletApis.aptos.session(aptosKey));
    const other = await app({ chain: "sui" });

    const victim = { projectId, chain: "sui", walletId: "user-1" } as const;
    const before = await rowOf(victim);
    for (const thief of [
      { ...victim, walletId: "user-2" },
      { ...victim, chain: "aptos" },
      { ...victim, projectId: other.projectId },
    ] as const) {
      const { record = null, public_key = null, ...rest } = await rowOf(thief);
      for (const columns of [{ record }, { record, public_key }, { ...rest, record, public_key }]) {
        await setColumns(victim, columns);
        const expected = uses.map(() => errors.corrupt_record);
        expect(await useAll(key, own), `${thief.walletId} of ${thief.chain}`).toEqual(expected);
        await setColumns(victim, before);
      }
    }
    await expectAllOpen(key, own);
  });
});

describe("a session", () => {
  const sign = z.custom<Method>().parse(uses.find(({ contract }) => contract.name === "svc_wal_signTransaction"));

  test("whose half in KV has any byte altered, or is another session's, is over", async () => {
    const own = await app({ chain: "sui" });
    const [entry] = (await env.KV.list()).keys;
    const name = entry?.name ?? "";
    const value = new Uint8Array((await env.KV.get(name, "arrayBuffer")) ?? new ArrayBuffer(0));
    expect(value).toHaveLength(92);
    for (const { at, altered } of alterations(value).filter((_, index) => index % 2 === 0)) {
      await env.KV.put(name, copyOf(altered));
      expect(await callMethod(sign, own.key, own), `byte ${at}`).toEqual(errors.bad_session_token);
    }
    const token = await own.api.session(own.key);
    const another = (await env.KV.list()).keys.find((listed) => listed.name !== name)?.name ?? "";
    await env.KV.put(name, (await env.KV.get(another, "arrayBuffer")) ?? "");
    expect(await callMethod(sign, own.key, own)).toEqual(errors.bad_session_token);
    expect(errorOf(await callMethod(sign, own.key, { ...own, token }))).toBe(null);
    await env.KV.put(name, copyOf(value));
    expect(errorOf(await callMethod(sign, own.key, own))).toBe(null);
  });

  test("whose token has any character altered is none", async () => {
    const own = await app({ chain: "sui" });
    for (let at = 0; at < own.token.length; at += 1) {
      const other = own.token.charAt(at) === "A" ? "B" : "A";
      const token = own.token.slice(0, at) + other + own.token.slice(at + 1);
      expect(await callMethod(sign, own.key, { ...own, token }), `character ${at}`).toEqual(errors.bad_session_token);
    }
    expect(errorOf(await callMethod(sign, own.key, own))).toBe(null);
  });
});
