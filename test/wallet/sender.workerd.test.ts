import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { walletName } from "../../shared/wallet/context.ts";
import { newProject } from "../support/wallets.ts";

const MESSAGE = new Uint8Array(32);
const OTHER_ADDRESS = `0x${"ab".repeat(32)}`;

test("a wallet signs for no other sender, and refuses a wrong secret before it compares", async () => {
  const wallet = { projectId: await newProject(), chain: "aptos", walletId: "user-1" } as const;
  const stub = env.WALLET.getByName(walletName(wallet));
  const opening = (secretByte: number) => ({
    wallet,
    secret: { derivation: "hkdf", bytes: new Uint8Array(32).fill(secretByte) } as const,
    keyId: "key_00000000000000000000",
  });
  const created = await stub.create({ ...opening(1), idempotency: null });
  expect(created).toMatchObject({ ok: true });
  const sign = (secretByte: number, sender: string) => stub.sign({ ...opening(secretByte), message: MESSAGE, sender });
  expect(await sign(1, created.value)).toMatchObject({ ok: true });
  expect(await sign(1, OTHER_ADDRESS)).toMatchObject({ ok: false, error: { reason: "wrong_sender" } });
  expect(await sign(2, OTHER_ADDRESS)).toMatchObject({ ok: false, error: { reason: "wrong_secret" } });
});
