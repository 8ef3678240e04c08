import { expect, test } from "vitest";
import * as z from "zod";
import { apiContracts, restContracts } from "../../shared/api/apis.ts";
import { type ApiContract, type MethodContract, type Right, rights } from "../../shared/api/contract.ts";
import { chainOf, type Network } from "../../shared/networks.ts";
import { admin, apps, newProject, requestAt } from "../support/wallets.ts";

/**
 * Who may call what, over all interfaces: every set of rights, on networks of both chains, by every way in which a key
 * can be sent. Calls carry no params, so that whoever is let in does nothing.
 */
const NETWORKS = [
  "SUI_LOCALNET",
  "SUI_TESTNET",
  "APTOS_LOCALNET",
  "APTOS_TESTNET",
] as const satisfies readonly Network[];
/** Every set of rights but the empty one. */
const RIGHT_SETS: readonly (readonly Right[])[] = Array.from({ length: 2 ** rights.length - 1 }, (_, index) =>
  rights.filter((_right, bit) => ((index + 1) >> bit) % 2 === 1),
);
const UNAUTHORIZED = -32001;

/** What each method needs, said a second time: the contracts are what is tested. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  "": ["rpc.discover"],
  wallet: [
    "svc_key_createSession",
    "svc_wal_createWallet",
    "svc_wal_getWallet",
    "svc_wal_signTransaction",
    "svc_wal_signTransactionBlock",
    "svc_wal_signPersonalMessage",
    "svc_wal_exportWallet",
    "svc_wal_importWallet",
    "key_createSession",
    "wal_createWallet",
    "wal_getWallet",
    "wal_signTransaction",
    "wal_exportWallet",
    "wal_importWallet",
  ],
  gas: [
    "gas_sponsorTransactionBlock",
    "gas_getSponsoredTransactionBlockStatus",
    "gas_getFund",
    "gas_prepareTransactionBlock",
    "gas_executeTransactionBlock",
    "gas_sponsorTransaction",
    "gas_encodeAndSponsorTransaction",
    "gas_sponsorAndSubmitSignedTransaction",
    "enoki_getApp",
    "enoki_createSponsoredTransaction",
    "enoki_executeSponsoredTransaction",
    "gs_signAndSubmit",
  ],
  "wallet gas": ["svc_wal_executeGaslessTransaction", "svc_wal_executeGaslessTransactionBlock"],
  "wallet gas node": ["wal_initializeWalletOnChain", "wal_createWalletOnChain", "wal_executeGaslessTransaction"],
};

function neededFor(method: string): readonly string[] {
  const found = Object.entries(NEEDED).find(([, methods]) => methods.includes(method));
  if (found === undefined) throw new Error(`nobody has said what ${method} needs`);
  return found[0].split(" ").filter((right) => right !== "");
}

interface Key {
  readonly key: string;
  readonly network: Network;
  readonly rights: readonly Right[];
}

interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The ways that count, and those that look as if they might. */
const WAYS: Readonly<Record<string, { readonly counts: boolean; send(path: string, key: string): Sent }>> = {
  "in the header": { counts: true, send: (path, key) => ({ path, headers: { "x-api-key": key } }) },
  "at the end of the path": { counts: true, send: (path, key) => ({ path: `${path}/${key}`, headers: {} }) },
  "both ways": { counts: true, send: (path, key) => ({ path: `${path}/${key}`, headers: { "x-api-key": key } }) },
  "beside another key": {
    counts: false,
    send: (path, key) => ({
      path: `${path}/${key}`,
      headers: { "x-api-key": `${key.slice(0, -1)}${key.endsWith("0") ? 1 : 0}` },
    }),
  },
  "as a bearer token": { counts: false, send: (path, key) => ({ path, headers: { authorization: `Bearer ${key}` } }) },
  "in the query": {
    counts: false,
    send: (path, key) => ({ path: `${path}?key=${key}&x-api-key=${key}`, headers: {} }),
  },
  "not at all": { counts: false, send: (path) => ({ path, headers: {} }) },
};

/** A key for each set of rights on each network. */
async function newKeys(sets: readonly (readonly Right[])[]): Promise<readonly Key[]> {
  const keys: Key[] = [];
  const projectId = await newProject();
  const made = z.object({ id: z.string() });
  for (const network of NETWORKS) {
    const fund = { name: network, network, createDepositAddress: false };
    const { id } = made.parse(await admin("POST", `/projects/${projectId}/funds`, fund));
    for (const set of sets) {
      const fundId = set.includes("gas") ? id : null;
      const fields = { name: "matrix", network, rights: set, fundId, limits: { qps: 10_000, cups: 1_000 } };
      const { key } = z.object({ key: z.string() }).parse(await admin("POST", `/projects/${projectId}/keys`, fields));
      keys.push({ key, network, rights: set });
    }
  }
  return keys;
}

const answersSchema = z.array(
  z.object({
    id: z.string(),
    result: z.unknown().optional(),
    error: z.object({ code: z.int(), data: z.looseObject({ reason: z.string().optional() }) }).optional(),
  }),
);

/** One batch with every method of an interface: who may not call one of them may call another. */
async function callAll(service: ApiContract, { path, headers }: Sent) {
  const methods = [...service.methods.map(({ name }) => name), "rpc.discover"];
  const body = JSON.stringify(methods.map((method) => ({ jsonrpc: "2.0", id: method, method })));
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
  const response = await requestAt(apps.kv, path, init);
  const answers = answersSchema.parse(await response.json());
  expect(answers.map(({ id }) => id)).toEqual(methods);
  return { status: response.status, answers };
}

function expectedRefusal(method: string, { chain }: ApiContract, key: Key, counts: boolean): string | null {
  if (!counts) return "bad_key";
  if (chainOf(key.network) !== chain) return "wrong_network";
  return neededFor(method).every((right) => key.rights.some((own) => own === right)) ? null : "missing_right";
}

test("every contract needs the rights that are written down here, and every method that is written down exists", () => {
  const contracts = new Map<string, MethodContract>();
  for (const { methods } of apiContracts) for (const contract of methods) contracts.set(contract.name, contract);
  for (const { operations } of restContracts)
    for (const { contract } of operations) contracts.set(contract.name, contract);
  for (const contract of contracts.values())
    expect([contract.name, contract.rights]).toEqual([contract.name, neededFor(contract.name)]);
  const written = Object.values(NEEDED)
    .flat()
    .filter((name) => name !== "rpc.discover");
  expect(written.toSorted()).toEqual([...contracts.keys()].toSorted());
});

async function expectMatrix(ways: readonly string[], keys: readonly Key[]): Promise<void> {
  for (const way of ways)
    for (const key of keys)
      for (const service of apiContracts) {
        const { counts, send } = WAYS[way] ?? unknownWay(way);
        const { status, answers } = await callAll(service, send(service.path, key.key));
        const refusals = answers.map(({ error }) => (error?.code === UNAUTHORIZED ? error.data.reason : null));
        const expected = answers.map(({ id }) => expectedRefusal(id, service, key, counts));
        const told = [way, service.path, key.network, ...key.rights];
        expect([...told, refusals]).toEqual([...told, expected]);
        expect(status).toBe(expected.includes(null) ? 200 : 401);
        const fund = answers.find(({ id }) => id === "gas_getFund");
        // The network is the key's, whatever the request says.
        if (fund !== undefined && fund.error === undefined) expect(fund.result).toMatchObject({ network: key.network });
      }
}

function unknownWay(way: string): never {
  throw new Error(`nobody sends a key ${way}`);
}

test("every method answers the keys that have its rights on its chain, and no other, in the header and at the end of the path", async () => {
  await expectMatrix(["in the header", "at the end of the path"], await newKeys(RIGHT_SETS));
});

test("a key that is sent twice counts once, and one that is sent in another way does not count, whatever its rights", async () => {
  await expectMatrix(Object.keys(WAYS), await newKeys([rights]));
});
