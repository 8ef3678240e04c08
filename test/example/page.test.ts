import {
  AccountAddress,
  createObjectAddress,
  Ed25519PublicKey,
  EntryFunction,
  MoveString,
  TransactionPayloadEntryFunction,
} from "@aptos-labs/ts-sdk";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { describe, expect, test } from "vitest";
import { adviceOn } from "../../functions/example/page/advice.ts";
import { aptosAddress, badgeAddress, encodedMint } from "../../functions/example/page/aptos.ts";
import { APTOS_DEMO_MODULE } from "../devchain/demo.ts";
import { readPage, section } from "../docs/pages.ts";

const keypair = new Ed25519Keypair();
const NAME = "Ünïcode ✓";

test("every error that the page of the workflows names has its advice", async () => {
  const errors = section(await readPage("shared/workflow/README.md"), "Errors");
  const named = [...errors.matchAll(/`([a-z]+_?[a-z_]*)`/g)].map(([, code]) => code ?? "");
  expect(named.length).toBeGreaterThan(15);
  const otherwise = adviceOn({ status: null, code: "?", message: "" });
  for (const code of named)
    expect([code, adviceOn({ status: null, code, message: "" })]).not.toEqual([code, otherwise]);
});

describe("the page's own Aptos agrees with the stock SDK", () => {
  const publicKey = new Ed25519PublicKey(keypair.getPublicKey().toRawBytes());
  const me = aptosAddress(keypair);

  test("on the address of a key, and of a badge", () => {
    expect(me).toBe(publicKey.authKey().derivedAddress().toStringLong());
    expect(badgeAddress(me, NAME)).toBe(createObjectAddress(AccountAddress.from(me), NAME).toStringLong());
  });

  test("on the mint that it compares with what comes back", () => {
    const [account = "", module = ""] = APTOS_DEMO_MODULE.split("::");
    const values = [new MoveString(NAME), AccountAddress.from(me)];
    const call = EntryFunction.build(`${account}::${module}`, "mint", [], values);
    expect(encodedMint(NAME, me).bcsToBytes()).toEqual(new TransactionPayloadEntryFunction(call).bcsToBytes());
  });
});
