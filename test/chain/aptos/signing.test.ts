import {
  AccountAddress,
  AccountAuthenticator,
  type AccountAuthenticatorEd25519,
  ChainId,
  Deserializer,
  generateSigningMessageForTransaction,
  MultiAgentTransaction,
  RawTransaction as SdkRawTransaction,
  SimpleTransaction,
} from "@aptos-labs/ts-sdk";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import {
  aptosAddress as addressOnWire,
  rawTransactionBytes,
  secondaryAddresses,
} from "../../../shared/api/aptos-values.ts";
import { toHex } from "../../../shared/bytes.ts";
import { formatAddress, ZERO_ADDRESS } from "../../../shared/chain/aptos/address.ts";
import { ed25519Authenticator } from "../../../shared/chain/aptos/authenticator.ts";
import { encodeRawTransaction } from "../../../shared/chain/aptos/raw-transaction.ts";
import { aptosAddress } from "../../../shared/chain/aptos/transaction.ts";
import { type SigningRequest, transactionToSign } from "../../../shared/chain/aptos/wallet-signing.ts";
import type { AptosNetwork } from "../../../shared/networks.ts";
import { rounds } from "../../support/rounds.ts";
import { ENTRY, join, longAddress, payloads, transaction, uleb } from "./by-hand.ts";
import { type Both, payloads as generatedPayloads, transactionWith } from "./generated.ts";

interface Wallet {
  readonly publicKey: Uint8Array;
  readonly address: string;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

async function createWallet(): Promise<Wallet> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("no key pair");
  const exported = await crypto.subtle.exportKey("raw", pair.publicKey);
  if (!(exported instanceof ArrayBuffer)) throw new Error("no raw key");
  const publicKey = new Uint8Array(exported);
  return {
    publicKey,
    address: aptosAddress(publicKey),
    sign: async (message) => new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, message)),
  };
}

let wallet: Wallet;
beforeAll(async () => {
  wallet = await createWallet();
});

const SENDER = longAddress(0xa1);
const RAW = join(transaction([uleb(2), ...ENTRY]));

/** The one whose transactions have this last byte, their chain id. */
function networkOf({ rawTransaction }: SigningRequest): AptosNetwork {
  const networks: Readonly<Record<number, AptosNetwork>> = {
    1: "APTOS_MAINNET",
    2: "APTOS_TESTNET",
    4: "APTOS_LOCALNET",
  };
  return networks[rawTransaction.at(-1) ?? 0] ?? "APTOS_DEVNET";
}

const refusalOf = (request: SigningRequest, walletAddress = SENDER, network = networkOf(request)) => {
  const outcome = transactionToSign(request, walletAddress, network);
  return outcome.ok ? "signed" : outcome.error.reason;
};

type WireRequest = readonly [raw: unknown, secondary?: unknown, feePayer?: unknown];

/** A call's params as they come, as the contract's schemas read them; null is a parameter that is left out. */
function requestOf([raw, secondary, feePayer]: WireRequest): SigningRequest {
  return {
    rawTransaction: rawTransactionBytes.parse(raw),
    secondaryAddresses: secondaryAddresses.optional().parse(secondary ?? undefined),
    feePayerAddress: addressOnWire.optional().parse(feePayer ?? undefined),
  };
}

async function signed(request: WireRequest): Promise<AccountAuthenticator> {
  const asked = requestOf(request);
  const outcome = transactionToSign(asked, wallet.address, networkOf(asked));
  if (!outcome.ok) throw new Error(outcome.error.details);
  const authenticator = ed25519Authenticator(wallet.publicKey, await wallet.sign(outcome.value.message));
  return AccountAuthenticator.deserialize(new Deserializer(authenticator));
}

/** As the chain does: over exactly the message that the SDK makes of the transaction. */
function verifies(authenticator: AccountAuthenticator, whole: SimpleTransaction | MultiAgentTransaction): boolean {
  if (!authenticator.isEd25519()) throw new Error("not Ed25519");
  const { public_key, signature }: AccountAuthenticatorEd25519 = authenticator;
  return public_key.verifySignature({ message: generateSigningMessageForTransaction(whole), signature });
}

function sentBy(walletAddress: string, { sdk }: Both<unknown, SdkRawTransaction>): SdkRawTransaction {
  return new SdkRawTransaction(
    AccountAddress.from(walletAddress),
    sdk.sequence_number,
    sdk.payload,
    sdk.max_gas_amount,
    sdk.gas_unit_price,
    sdk.expiration_timestamp_secs,
    new ChainId(sdk.chain_id.chainId),
  );
}

describe("what a wallet signs verifies with the chain's SDK", () => {
  const raws = transactionWith(fc.oneof(...Object.values(generatedPayloads)));
  const writeRaw: readonly ((raw: Uint8Array) => unknown)[] = [
    (raw) => `0x${toHex(raw)}`,
    (raw) => toHex(raw).toUpperCase(),
    (raw) => [...raw],
  ];
  const FIRST = AccountAddress.from("0x7");
  const SECOND = AccountAddress.from(`0x${"bc".repeat(32)}`);
  const PAYER = AccountAddress.from(`0x${"de".repeat(32)}`);
  const list = [FIRST.toString(), SECOND.toString()];

  /** What clients send after the raw transaction, and what it means. */
  const forms: readonly {
    readonly name: string;
    readonly rest: readonly unknown[];
    readonly means: (raw: SdkRawTransaction) => SimpleTransaction | MultiAgentTransaction;
  }[] = [
    { name: "nothing: by the sender alone", rest: [], means: (raw) => new SimpleTransaction(raw) },
    { name: "null, null: by the sender alone", rest: [null, null], means: (raw) => new SimpleTransaction(raw) },
    { name: "[]: by the sender alone", rest: [[]], means: (raw) => new SimpleTransaction(raw) },
    { name: "[…]: by several agents", rest: [list], means: (raw) => new MultiAgentTransaction(raw, [FIRST, SECOND]) },
    {
      name: "[…] in another order: by several agents",
      rest: [[...list].reverse(), null],
      means: (raw) => new MultiAgentTransaction(raw, [SECOND, FIRST]),
    },
    {
      name: '[], "0x0": with a fee payer not known yet',
      rest: [[], "0x0"],
      means: (raw) => new SimpleTransaction(raw, AccountAddress.ZERO),
    },
    {
      name: "null, the zero address in full: with a fee payer not known yet",
      rest: [null, ZERO_ADDRESS],
      means: (raw) => new SimpleTransaction(raw, AccountAddress.ZERO),
    },
    {
      name: "[], an address: with that fee payer",
      rest: [[], PAYER.toString()],
      means: (raw) => new SimpleTransaction(raw, PAYER),
    },
    {
      name: "null, a short address: with that fee payer",
      rest: [null, "0x7"],
      means: (raw) => new SimpleTransaction(raw, FIRST),
    },
    {
      name: '[…], "0x0": by several agents with a fee payer not known yet',
      rest: [list, "0x0"],
      means: (raw) => new MultiAgentTransaction(raw, [FIRST, SECOND], AccountAddress.ZERO),
    },
    {
      name: "[…], an address: by several agents with that fee payer",
      rest: [list, PAYER.toString()],
      means: (raw) => new MultiAgentTransaction(raw, [FIRST, SECOND], PAYER),
    },
  ];

  test.each(forms)("$name", async ({ rest: [secondary, feePayer], means }) => {
    await fc.assert(
      fc.asyncProperty(raws, fc.constantFrom(...writeRaw), async (generated, write) => {
        const raw = sentBy(wallet.address, generated);
        const authenticator = await signed([write(raw.bcsToBytes()), secondary, feePayer]);
        for (const form of forms) {
          const sameMeaning = form.means(raw).bcsToBytes().toString() === means(raw).bcsToBytes().toString();
          expect(verifies(authenticator, form.means(raw))).toBe(sameMeaning);
        }
      }),
      { numRuns: rounds(10, 2) },
    );
  });

  test("is the form of the request, the transaction as it was read, and the message", () => {
    const outcome = transactionToSign(
      { rawTransaction: RAW, secondaryAddresses: [], feePayerAddress: ZERO_ADDRESS },
      SENDER,
      "APTOS_TESTNET",
    );
    expect(outcome).toMatchObject({
      ok: true,
      value: {
        rawTransaction: { sender: SENDER, chainId: 2 },
        coSigners: { kind: "fee_payer", secondarySigners: [], feePayer: ZERO_ADDRESS },
      },
    });
    expect(outcome.ok && encodeRawTransaction(outcome.value.rawTransaction)).toEqual(RAW);
  });

  test.each(Object.entries(payloads))("a wallet signs any form that the chain executes: %s", (_, payload) => {
    expect(refusalOf({ rawTransaction: join(transaction(payload)) })).toBe("signed");
  });
});

describe("a wallet refuses", () => {
  test("a transaction of another sender, wherever else its own address stands", () => {
    const other = longAddress(0xa2);
    const everywhere = { rawTransaction: RAW, secondaryAddresses: [other], feePayerAddress: other };
    expect(refusalOf({ rawTransaction: RAW }, other)).toBe("wrong_sender");
    expect(refusalOf({ rawTransaction: RAW, secondaryAddresses: [other] }, other)).toBe("wrong_sender");
    expect(refusalOf(everywhere, other)).toBe("wrong_sender");
    const outcome = transactionToSign({ rawTransaction: RAW }, other, "APTOS_TESTNET");
    expect(outcome.ok ? "" : outcome.error.details).toContain(SENDER);
  });

  test("a transaction of another network than the key's, on which the wallet has the same address", () => {
    const raw = (chainId: number) => ({ rawTransaction: Uint8Array.from([...RAW.subarray(0, -1), chainId]) });
    const signable = (network: AptosNetwork) =>
      [0, 1, 2, 4, 77].filter((chainId) => refusalOf(raw(chainId), SENDER, network) === "signed");
    expect(signable("APTOS_MAINNET")).toEqual([1]);
    expect(signable("APTOS_TESTNET")).toEqual([2]);
    expect(signable("APTOS_LOCALNET")).toEqual([4]);
    expect(signable("APTOS_DEVNET")).toEqual([0, 77]);
    expect(refusalOf(raw(1), SENDER, "APTOS_TESTNET")).toBe("wrong_chain_id");
  });

  test("a signer twice, the sender among them", () => {
    const [a, b] = [longAddress(0xb1), longAddress(3)];
    const withSigners = (...list: readonly string[]) => refusalOf({ rawTransaction: RAW, secondaryAddresses: list });
    expect(withSigners(a, b)).toBe("signed");
    expect(withSigners(a, a)).toBe("duplicate_signer");
    expect(withSigners(a, b, a)).toBe("duplicate_signer");
    expect(withSigners(SENDER)).toBe("duplicate_signer");
    expect(withSigners(a, SENDER)).toBe("duplicate_signer");
    const sponsored = { rawTransaction: RAW, secondaryAddresses: [b, b], feePayerAddress: ZERO_ADDRESS };
    expect(refusalOf(sponsored)).toBe("duplicate_signer");
  });

  test("the same signer in two ways of writing it", () => {
    const request = requestOf([[...RAW], ["0x3", `0x${"0".repeat(63)}3`]]);
    expect(refusalOf(request)).toBe("duplicate_signer");
    expect(refusalOf(requestOf([[...RAW], [formatAddress(SENDER).toUpperCase().replace("X", "x")]]))).toBe(
      "duplicate_signer",
    );
  });

  test("but not a fee payer who is one of the signers, as the chain allows", () => {
    expect(refusalOf({ rawTransaction: RAW, feePayerAddress: SENDER })).toBe("signed");
    const agent = longAddress(0xb1);
    expect(refusalOf({ rawTransaction: RAW, secondaryAddresses: [agent], feePayerAddress: agent })).toBe("signed");
  });

  test("bytes that are not exactly one transaction", () => {
    expect(refusalOf({ rawTransaction: Uint8Array.of(...RAW, 0) })).toBe("non_canonical_bytes");
    expect(refusalOf({ rawTransaction: RAW.slice(0, -1) })).toBe("unsupported_transaction");
    expect(refusalOf({ rawTransaction: new Uint8Array(0) })).toBe("unsupported_transaction");
    expect(refusalOf({ rawTransaction: join(transaction([uleb(1), ...ENTRY])) })).toBe("unsupported_transaction");
    expect(refusalOf({ rawTransaction: join(transaction([uleb(5), ...ENTRY])) })).toBe("unsupported_transaction");
  });

  test("what the SDK calls a simple transaction, which has a fee payer after the raw one", () => {
    const raw = SdkRawTransaction.deserialize(new Deserializer(RAW));
    expect(refusalOf({ rawTransaction: new SimpleTransaction(raw).bcsToBytes() })).toBe("non_canonical_bytes");
  });
});
