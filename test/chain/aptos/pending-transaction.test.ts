import { describe, expect, test } from "vitest";
import { pendingTransaction } from "../../../shared/chain/aptos/pending-transaction.ts";

const KEY = `0x${"56".repeat(32)}`;
const SIGNATURE = `0x${"cc".repeat(64)}`;
const ed25519 = { public_key: KEY, signature: SIGNATURE, type: "ed25519_signature" };
const typed = (type: string, value = KEY) => ({ value, type });

/**
 * Mainnet, version 3556737306, as a pending transaction: without what execution adds. Its JSON is printed in
 * GetBlock-io/getblock-docs, apt_v1_blocks_by_version_version.md.
 */
const recorded = {
  hash: "0x9bdc3330c89bb4c004b70a04ec3a4e8ea5553354b48cee93e19df56849d8d678",
  sender: "0x9950c566656c8d881f96d9114c0851e27caa3a738a08c467827a206b59aec545",
  sequence_number: "1",
  max_gas_amount: "100000",
  gas_unit_price: "100",
  expiration_timestamp_secs: "1760341246",
  payload: {
    function: "0x8d1309464d087b58d8e4463fa3a60c4e1f11509e83babf8583af8f2094889070::batch_mint::send_message",
    type_arguments: [],
    arguments: [
      "I have successfully received giftiel #7547571",
      "received",
      "0xf8829b4c626d0b228dad392b3aefa065705009164bf56b57b5fa792e025b7bc1",
    ],
    type: "entry_function_payload",
  },
  signature: {
    sender: {
      public_key: "0x56ff92db83fb0fa4d8d893b3d84deee40a6bde88732ab08ddab8d80041d0b569",
      signature:
        "0xcc25eb49ff7d609fb4fa5a659c2eab692586eab1cbb6564c17aa8e652ff715675c0fb20424daaf83b34d83b185908304768413645912c37a07bc39cc40052504",
      type: "ed25519_signature",
    },
    secondary_signer_addresses: [],
    secondary_signers: [],
    fee_payer_address: "0x491fa3e9c2a1366432581c5643abeeb0287bfc2d28d08db59bfd640eaf9d7fab",
    fee_payer_signer: {
      public_key: "0xb4e9b2ff3869f0a65c910e57707e0e29130cda3ce42a5d1fddd3492a8aa9d8ed",
      signature:
        "0xe7dee3895e919a4beb92b5f1cc19b16738bf06cb21512a0822a8bda222cf079bc128779bc014150c31aa214a5601629b3ae2612977f05d30c63bce8ab8e1af01",
      type: "ed25519_signature",
    },
    type: "fee_payer_signature",
  },
  replay_protection_nonce: null,
};

const script = {
  code: {
    bytecode: "0xa11ceb0b",
    abi: {
      name: "main",
      visibility: "public",
      is_entry: true,
      is_view: false,
      generic_type_params: [{ constraints: [] }],
      params: ["&signer", "u64"],
      return: [],
    },
  },
  type_arguments: ["0x1::aptos_coin::AptosCoin"],
  arguments: ["1"],
  type: "script_payload",
};

const multisig = {
  multisig_address: KEY,
  transaction_payload: recorded.payload,
  type: "multisig_payload",
};

function nested(depth: number): unknown {
  let value: unknown = "1";
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

function withArguments(...values: readonly unknown[]) {
  return { ...recorded, payload: { ...recorded.payload, arguments: values } };
}

test("a recorded transaction of mainnet reads as it is written", () => {
  expect(pendingTransaction.parse(recorded)).toEqual(recorded);
});

test("the type that look-ups add, and every key that is not of the specification, is left out", () => {
  const { signature } = recorded;
  const grown = {
    ...recorded,
    type: "pending_transaction",
    mood: "good",
    payload: { ...recorded.payload, mood: "good" },
    signature: { ...signature, mood: "good", sender: { ...signature.sender, mood: "good" } },
  };
  expect(pendingTransaction.parse(grown)).toEqual(recorded);
});

test.each([
  ["a script", script],
  ["a script whose interface the node cannot read", { ...script, code: { bytecode: "0x00", abi: null } }],
  ["a call for a multisig account", multisig],
  ["a call for a multisig account that is stored there", { ...multisig, transaction_payload: null }],
  [
    "arguments of every kind",
    withArguments(true, 8, "340282366920938463463374607431768211455", [[], ["0x00"]], { vec: [] }).payload,
  ],
])("the payload of %s is kept", (_what, payload) => {
  expect(pendingTransaction.parse({ ...recorded, payload })).toEqual({ ...recorded, payload });
});

const multiKey = {
  public_keys: [typed("ed25519"), typed("secp256r1_ecdsa"), typed("federated_keyless")],
  signatures: [{ index: 1, signature: typed("web_authn", SIGNATURE) }],
  signatures_required: 1,
};
const singleKey = { public_key: typed("secp256k1_ecdsa"), signature: typed("secp256k1_ecdsa", SIGNATURE) };
const ACCOUNTS: readonly (readonly [string, object])[] = [
  ["a legacy key", ed25519],
  [
    "several legacy keys",
    {
      public_keys: [KEY, KEY],
      signatures: [SIGNATURE],
      threshold: 1,
      bitmap: "0x80000000",
      type: "multi_ed25519_signature",
    },
  ],
  ["a single key", { ...singleKey, type: "single_key_signature" }],
  ["several keys", { ...multiKey, type: "multi_key_signature" }],
  ["an abstracted account", { function_info: "0x1::auth::verify", auth_data: "0x00ff", type: "abstract_signature" }],
];

describe.each(ACCOUNTS)("the signature of %s", (_what, account) => {
  const together = { sender: account, secondary_signer_addresses: ["0x5"], secondary_signers: [account] };
  test.each([
    ["alone", account],
    ["with others", { ...together, type: "multi_agent_signature" }],
    [
      "with a fee payer",
      { ...together, fee_payer_address: KEY, fee_payer_signer: account, type: "fee_payer_signature" },
    ],
  ])("%s is kept", (_form, signature) => {
    expect(pendingTransaction.parse({ ...recorded, signature })).toEqual({ ...recorded, signature });
  });
});

test.each([
  ["a single key", { ...singleKey, type: "single_sender" }],
  ["several keys", { ...multiKey, type: "single_sender" }],
])("the signature of %s alone is kept under the name of its form", (_what, signature) => {
  expect(pendingTransaction.parse({ ...recorded, signature })).toEqual({ ...recorded, signature });
});

test.each([
  ["a hash of another length", { ...recorded, hash: "0x12" }],
  ["a number that is none", { ...recorded, sequence_number: "0x1" }],
  ["a negative number", { ...recorded, max_gas_amount: "-1" }],
  ["a number above u64", { ...recorded, gas_unit_price: "18446744073709551616" }],
  ["a number that is not text", { ...recorded, expiration_timestamp_secs: 1760341246 }],
  ["a sender without 0x", { ...recorded, sender: recorded.sender.slice(2) }],
  ["an unknown payload", { ...recorded, payload: { type: "write_set_payload" } }],
  ["an unknown signature", { ...recorded, signature: { type: "trust_me" } }],
  ["half a byte", { ...recorded, signature: { ...ed25519, signature: "0xabc" } }],
  [
    "too many secondary signers",
    { ...recorded, signature: { ...recorded.signature, secondary_signer_addresses: Array(32).fill("0x5") } },
  ],
  ["arguments deeper than types nest", withArguments(nested(65))],
  ["arguments that are no list", { ...recorded, payload: { ...recorded.payload, arguments: { length: 0 } } }],
])("%s is refused", (_what, json) => {
  expect(pendingTransaction.safeParse(json).success).toBe(false);
});

test("arguments that would overflow a stack, or are more than a transaction holds, are refused", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const many = `[${"0,".repeat(300_000)}0]`;
  for (const value of [deep, many]) {
    expect(pendingTransaction.safeParse(withArguments(JSON.parse(value))).success).toBe(false);
  }
});

test("arguments as deep as types nest are kept", () => {
  const json = withArguments(nested(40));
  expect(pendingTransaction.parse(json)).toEqual(json);
});
