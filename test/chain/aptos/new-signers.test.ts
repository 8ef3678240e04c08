import { beforeEach, expect, test } from "vitest";
import { type NodeFixture, type Signed, sponsoredTransfer, startNodeFixture, withJson } from "./node-testing.ts";

const BLOCK_MS = 1_000;
const HEX = `0x${"5a".repeat(64)}`;
const typed = (type: string, value = HEX) => ({ value, type });
const single = (key: string, signature: string, value = HEX) => ({
  public_key: typed(key),
  signature: typed(signature, value),
  type: "single_key_signature",
});

let fixture: NodeFixture;
let signed: Signed;
beforeEach(async () => {
  fixture = await startNodeFixture();
  signed = await sponsoredTransfer(fixture.chain);
});

/** Every answer about the transaction says that its sender, or a second signer, has signed like this. */
function signedBy(sender: object, second: object) {
  fixture.alter((response) =>
    withJson(response, (json) => {
      const { signature } = Object(json);
      const seconds = { secondary_signer_addresses: ["0x5"], secondary_signers: [second] };
      return signature === undefined ? json : { ...Object(json), signature: { ...signature, sender, ...seconds } };
    }),
  );
}

const SIGNATURES: readonly (readonly [string, object])[] = [
  ["a passkey's", single("secp256r1_ecdsa", "web_authn")],
  ["a keyless account's", single("keyless", "keyless")],
  ["a federated keyless account's", single("federated_keyless", "keyless")],
  ["an SLH-DSA key's", single("slh_dsa_sha2_128s", "slh_dsa_sha2_128s", `0x${"5a".repeat(7_856)}`)],
  [
    "several keys'",
    {
      public_keys: [typed("ed25519"), typed("slh_dsa_sha2_128s"), typed("keyless")],
      signatures: [{ index: 1, signature: typed("slh_dsa_sha2_128s") }],
      signatures_required: 1,
      type: "multi_key_signature",
    },
  ],
  [
    "an abstracted account's",
    { function_info: "0x1::any::authenticate", auth_data: "0x0020ff", type: "abstract_signature" },
  ],
];
const LATER = { shares: [HEX, 7], scheme: { name: "later" }, type: "threshold_signature" };

test.each([
  ...SIGNATURES.map(([name, one]) => [name, one, one] as const),
  ["of a kind that a newer node has, by its name,", LATER, { type: LATER.type }] as const,
])("a node's answers with a signature that is %s are read, and it is passed on", async (_, one, passed) => {
  signedBy(one, one);
  const node = fixture.nodeOf(["a"]);
  const shown = { signature: { sender: passed, secondary_signers: [passed], fee_payer_address: expect.any(String) } };
  await fixture.hold(true);
  expect(await node.submit(signed.bytes, signed.hash)).toMatchObject({ kind: "accepted", transaction: shown });
  expect(await node.lookUp(signed.hash)).toMatchObject({ value: { value: { kind: "pending", transaction: shown } } });
  await fixture.hold(false);
  fixture.chain.clock.aheadMs += BLOCK_MS;
  expect(await node.lookUp(signed.hash)).toMatchObject({
    value: { value: { kind: "committed", execution: { hash: signed.hash, success: true }, transaction: shown } },
  });
  expect(await node.transactionAtSequence(signed.sender, 0n)).toMatchObject({
    value: { value: { execution: { hash: signed.hash } } },
  });
});
