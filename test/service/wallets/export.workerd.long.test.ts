import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { toBase64 } from "@mysten/sui/utils";
import { verifyTransactionSignature } from "@mysten/sui/verify";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { chains } from "../../../shared/networks.ts";
import { walletName } from "../../../shared/wallet/context.ts";
import { type WalletExport, walletExportSchema } from "../../../shared/wallet/export.ts";
import { pass, stopClock } from "../../support/sui-fund.ts";
import { walletApis } from "../../support/wallet-api.ts";
import {
  admin,
  badToken,
  call,
  newKey,
  newProject,
  OTHER_SECRET,
  refusal,
  SECRET,
  walletExists,
} from "../../support/wallets.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

afterEach(() => {
  vi.useRealTimers();
});

describe.each(chains)("on %s", (chain) => {
  const api = walletApis[chain];

  /** An app with one wallet, `user-1`, of a project that allows exports unless told otherwise. */
  async function app({ exportEnabled = true, ...fields }: { exportEnabled?: boolean; walletsPerMonth?: number } = {}) {
    const projectId = await newProject(fields);
    if (exportEnabled) await admin("PATCH", `/projects/${projectId}`, { exportEnabled });
    const key = await newKey(projectId, api.network);
    const token = await api.session(key);
    const address = z.string().parse(await api.create(key, "user-1", token));
    return { projectId, key, token, address };
  }

  async function exported(key: string, token: string, walletId = "user-1"): Promise<WalletExport> {
    return walletExportSchema.parse(await api.export(key, walletId, token));
  }

  function objectOf(projectId: string, walletId = "user-1") {
    return env.WALLET.getByName(walletName({ projectId, chain, walletId }));
  }

  async function log(projectId: string): Promise<readonly unknown[]> {
    const page = await admin("GET", `/projects/${projectId}/audit?limit=100`);
    return z.object({ items: z.array(z.unknown()) }).parse(page).items;
  }

  test("exports are off until the operator switches them on, and again when they are switched off", async () => {
    const { projectId, key, token, address } = await app({ exportEnabled: false });
    const disabled = await api.export(key, "user-1", token);
    expect(disabled).toMatchObject(refusal(-32602, "export_disabled"));
    // Of a wallet or a session it says nothing.
    expect(await api.export(key, "user-2", token)).toEqual(disabled);
    expect(await api.export(key, "user-1", "nonsense")).toEqual(disabled);

    await admin("PATCH", `/projects/${projectId}`, { exportEnabled: true });
    expect(await exported(key, token)).toMatchObject({ chain, address, projectId, walletId: "user-1" });
    await admin("PATCH", `/projects/${projectId}`, { exportEnabled: false });
    expect(await api.export(key, "user-1", token)).toEqual(disabled);
  });

  test("the switch and each export are rows of the log, and without its row there is no export", async () => {
    const { projectId, key, token, address } = await app();
    await exported(key, token);
    const [row, switched] = await log(projectId).then((rows) =>
      rows.filter((entry) => !JSON.stringify(entry).includes("key.create")),
    );
    const keyId = expect.stringMatching(/^key_/);
    expect(row).toMatchObject({ action: "wallet.export", target: "user-1", detail: { chain, address, keyId } });
    expect(switched).toMatchObject({ action: "project.update", detail: { exportEnabled: true } });

    await api.create(key, "user-2", token);
    await runInDurableObject(env.PROJECT.getByName(projectId), (_, { storage }) => {
      storage.sql.exec("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    });
    expect(await api.export(key, "user-2", token)).toMatchObject({ code: -32603 });
  });

  test("a wallet is exported once a minute, also by a burst and after its object has been away", async () => {
    stopClock(Date.now());
    const { projectId, key, token } = await app();
    const burst = await Promise.all(Array.from({ length: 4 }, () => api.export(key, "user-1", token)));
    expect(burst.filter((answer) => walletExportSchema.safeParse(answer).success)).toHaveLength(1);
    const tooSoon = refusal(-32010, "rate_limited", { limit: "export", retryAfterMs: expect.any(Number) });
    expect(burst.filter((answer) => !walletExportSchema.safeParse(answer).success)).toEqual(
      Array(3).fill(expect.objectContaining({ code: -32010, data: expect.objectContaining(tooSoon.data) })),
    );
    await evictDurableObject(objectOf(projectId));
    pass(MINUTE_MS - 1);
    expect(await api.export(key, "user-1", token)).toMatchObject(tooSoon);
    expect(await api.create(key, "user-2", token)).toMatch(/^0x/);
    await exported(key, token, "user-2");
    pass(1);
    await exported(key, token);
  });

  test("an export is given to nobody without the secret, and a wrong one counts as for signatures", async () => {
    stopClock(Date.now());
    const { projectId, key, token } = await app();
    const wrong = await api.session(key, OTHER_SECRET);
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(await api.export(key, "user-1", wrong)).toMatchObject(refusal(-32602, "wrong_secret"));
    expect(await api.export(key, "user-1", wrong)).toMatchObject(
      refusal(-32010, "rate_limited", { limit: "wrong_secret" }),
    );
    expect(await api.export(key, "user-1", "nonsense")).toMatchObject(badToken);
    expect(await api.export(key, "user-2", token)).toMatchObject(refusal(-32602, "unknown_wallet"));
    await exported(key, token);
    expect(JSON.stringify(await log(projectId)).match(/wallet\.export/g)).toHaveLength(1);
  });

  test("an import is the same address under another project's id, and opens with the same secret only", async () => {
    const source = await app();
    const moved = await exported(source.key, source.token);
    const key = await newKey(await newProject(), api.network);
    expect(await api.import(key, "ключ 🔑", [SECRET, moved])).toBe(source.address);
    expect(await api.get(key, "ключ 🔑")).toBe(source.address);
    expect(await api.import(key, "user-2", [OTHER_SECRET, moved])).toMatchObject(refusal(-32602, "wrong_secret"));
    expect(await api.get(key, "user-2")).toMatchObject(refusal(-32602, "unknown_wallet"));
  });

  test("an import refuses an id that exists, whatever it holds, and leaves that wallet as it is", async () => {
    const { key, token, address } = await app();
    const other = await app();
    const moved = await exported(key, token);
    expect(await api.import(key, "user-1", [SECRET, moved])).toEqual(walletExists);
    expect(await api.import(key, "user-1", [OTHER_SECRET, moved])).toMatchObject(refusal(-32602, "wrong_secret"));
    expect(await api.import(other.key, "user-1", [SECRET, moved])).toEqual(walletExists);
    expect(await api.get(other.key, "user-1")).toBe(other.address);
    expect(await api.get(key, "user-1")).toBe(address);
  });

  test("an import counts for the month, and creations and imports stop at the same limit", async () => {
    stopClock(Date.now());
    const { key, token } = await app({ walletsPerMonth: 2 });
    const moved = await exported(key, token);
    expect(await api.import(key, "user-2", [SECRET, moved])).toMatch(/^0x/);
    const reached = refusal(-32012, "quota_reached");
    expect(await api.import(key, "user-3", [SECRET, moved])).toMatchObject(reached);
    expect(await api.create(key, "user-3", token)).toMatchObject(reached);
    // Nothing that is refused counts, and what exists is said to exist.
    pass(2_000);
    expect(await api.import(key, "user-2", [SECRET, moved])).toEqual(walletExists);
  });

  test("20 imports and creations of one id at once: one wallet, counted once", async () => {
    const { projectId, key, token, address } = await app();
    const moved = await exported(key, token);
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        index % 10 === 0 ? api.import(key, "user-2", [SECRET, moved]) : api.create(key, "user-2", token),
      ),
    );
    const addresses = answers.filter((answer) => typeof answer === "string");
    expect(addresses).toEqual([await api.get(key, "user-2")]);
    const page = await admin("GET", `/projects/${projectId}/wallets`);
    expect(page).toMatchObject({ items: [{ address }, { address: addresses[0] }] });
  });

  test("an Idempotency-Key repeats an import's answer for one day, to nobody without the secret", async () => {
    stopClock(Date.now());
    const { key, token, address } = await app();
    const moved = await exported(key, token);
    const attempt = { idempotencyKey: "attempt" };
    for (let repeat = 0; repeat < 2; repeat += 1)
      expect(await api.import(key, "user-2", [SECRET, moved], attempt)).toBe(address);
    pass(2_000);
    expect(await api.import(key, "user-2", [OTHER_SECRET, moved], attempt)).toMatchObject(
      refusal(-32602, "wrong_secret"),
    );
    pass(MINUTE_MS);
    const again = await exported(key, await api.session(key), "user-2");
    expect(await api.import(key, "user-2", [SECRET, again], attempt)).toMatchObject(
      refusal(-32018, "idempotency_conflict"),
    );
    expect(await api.import(key, "user-2", [SECRET, moved])).toEqual(walletExists);
    pass(DAY_MS);
    expect(await api.import(key, "user-2", [SECRET, moved], attempt)).toEqual(walletExists);
  });

  test("an import refuses what is no export, another chain's and an altered one, and creates nothing", async () => {
    stopClock(Date.now());
    const { key, token } = await app();
    const moved = await exported(key, token);
    const end = `${moved.innerLayer.slice(0, -1)}${moved.innerLayer.endsWith("0") ? "1" : "0"}`;
    const otherChain = chain === "sui" ? "aptos" : "sui";
    for (const [wrong, reason, details] of [
      [null, "bad_params", "export: is required"],
      ["text", "bad_params", "export: must be a wallet export"],
      [
        { ...moved, secret: SECRET },
        "bad_params",
        "export: has a field that no export has: send it as it was exported",
      ],
      [{ ...moved, version: 2 }, "bad_params", "export.version"],
      [{ ...moved, walletSalt: "00" }, "bad_params", "export.walletSalt: must be 32 bytes in lower-case hex"],
      [{ ...moved, walletId: "" }, "bad_params", "export.walletId: must be a wallet's id"],
      [{ ...moved, chain: otherChain }, "unconvertible_export", `this export is a wallet on ${otherChain}`],
      [{ ...moved, innerLayer: end }, "unconvertible_export", "this export was altered: send the original"],
      [
        { ...moved, address: `0x${"ab".repeat(32)}` },
        "unconvertible_export",
        "this export's address does not belong to its key: send the original export",
      ],
      [{ ...moved, walletId: "user-9" }, "wrong_secret", "the export was altered"],
    ] as const) {
      pass(2_000);
      expect(await api.import(key, "user-2", [SECRET, wrong])).toMatchObject(
        refusal(-32602, reason, { details: expect.stringContaining(details) }),
      );
    }
    expect(await api.get(key, "user-2")).toMatchObject(refusal(-32602, "unknown_wallet"));
  });
});

test("what is imported signs as the same address, in another project", async () => {
  const projectId = await newProject();
  await admin("PATCH", `/projects/${projectId}`, { exportEnabled: true });
  const [from, to] = [await newKey(projectId), await newKey(await newProject())];
  const api = walletApis.sui;
  const token = await api.session(from);
  const address = z.string().parse(await api.create(from, "user-1", token));
  await api.import(to, "user-2", [SECRET, await api.export(from, "user-1", token)]);
  const bytes = new Uint8Array(100).fill(3);
  const sign = async (secret: string) =>
    call(to, "svc_wal_signTransaction", ["user-2", await api.session(to, secret), toBase64(bytes)]);
  await verifyTransactionSignature(bytes, z.string().parse(await sign(SECRET)), { address });
  expect(await sign(OTHER_SECRET)).toMatchObject(refusal(-32602, "wrong_secret"));
});
