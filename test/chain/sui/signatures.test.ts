import type { Signer } from "@mysten/sui/cryptography";
import { GrpcTypes, SuiGrpcClient } from "@mysten/sui/grpc";
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519";
import { Secp256k1Keypair } from "@mysten/sui/keypairs/secp256k1";
import { Secp256r1Keypair } from "@mysten/sui/keypairs/secp256r1";
import { MultiSigPublicKey } from "@mysten/sui/multisig";
import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { isValidTransactionSignature } from "@mysten/sui/verify";
import { describe, expect, test } from "vitest";
import { boundedFetch } from "../../../shared/chain/sui/grpc/bounded-fetch.ts";
import { suiServices } from "../../../shared/chain/sui/grpc/services.ts";
import { verifyEd25519, verifyOtherSchemes } from "../../../shared/chain/sui/signature.ts";
import { ZK_LOGIN_ADDRESS, zkLoginSignature } from "./zk-login.ts";

const BYTES = Uint8Array.of(1, 2, 3);
const OTHER_BYTES = Uint8Array.of(1, 2, 4);

/** No signature here is one that a node would have to be asked about. */
const services = suiServices("http://node.test", () => Promise.reject(new Error("a node was asked")));

async function judge(signature: string, address: string, bytes = BYTES) {
  return (
    (await verifyEd25519(bytes, signature, address)) ?? (await verifyOtherSchemes(bytes, signature, address, services))
  );
}
const signatureBy = async (signer: Signer) => (await signer.signTransaction(BYTES)).signature;

/** With one bit of the signature itself changed. */
function altered(signature: string, at = 10): string {
  const bytes = fromBase64(signature);
  return toBase64(bytes.with(at, (bytes[at] ?? 0) ^ 1));
}

const keys = [new Ed25519Keypair(), new Secp256k1Keypair(), new Secp256r1Keypair()] as const;
const stranger = new Ed25519Keypair().toSuiAddress();

describe.each([
  ["Ed25519", keys[0]],
  ["secp256k1", keys[1]],
  ["secp256r1", keys[2]],
] as const)("a signature by %s", (_, signer) => {
  test("is valid for its own address, and by another key it may be an alias's", async () => {
    const signature = await signatureBy(signer);
    expect(await judge(signature, signer.toSuiAddress())).toBe("valid");
    expect(await judge(signature, stranger)).toBe("unjudged");
  });

  test("is refused for whatever address where it is not good, or over other bytes, or not whole", async () => {
    const signature = await signatureBy(signer);
    for (const address of [signer.toSuiAddress(), stranger]) {
      expect(await judge(altered(signature), address)).toBe("invalid");
      expect(await judge(signature, address, OTHER_BYTES)).toBe("invalid");
      expect(await judge(toBase64(fromBase64(signature).slice(0, -1)), address)).toBe("invalid");
    }
  });
});

describe("a multisig", () => {
  const members = keys.map((key) => ({ publicKey: key.getPublicKey(), weight: 1 }));
  const multisig = MultiSigPublicKey.fromPublicKeys({ threshold: 2, publicKeys: members });
  const signedBy = async (...signers: readonly Signer[]) =>
    multisig.combinePartialSignatures(await Promise.all(signers.map(signatureBy)));

  test("is judged like a key: valid for its address, an alias for another, refused under its threshold", async () => {
    const two = await signedBy(keys[0], keys[1]);
    expect(await judge(two, multisig.toSuiAddress())).toBe("valid");
    expect(await judge(two, stranger)).toBe("unjudged");
    expect(await judge(two, multisig.toSuiAddress(), OTHER_BYTES)).toBe("invalid");
    expect(await judge(altered(two, 20), multisig.toSuiAddress())).toBe("invalid");
    expect(await judge(await signedBy(keys[2]), multisig.toSuiAddress())).toBe("invalid");
  });
});

test("a scheme that nobody here knows is left to the chain", async () => {
  for (const flag of [4, 7, 8, 255])
    expect(await judge(toBase64(new Uint8Array(2_000).fill(flag)), stranger)).toBe("unjudged");
});

describe("a zkLogin signature", () => {
  const signed = () => signatureBy(new Ed25519Keypair());
  const address = ZK_LOGIN_ADDRESS;
  const zkLoginBy = async () => zkLoginSignature(await signed());

  /** A node that answers like this, and the calls that it has got. */
  function nodeSaying(reply: GrpcTypes.VerifySignatureResponse) {
    const calls: { url: string; body: Uint8Array }[] = [];
    const message = GrpcTypes.VerifySignatureResponse.toBinary(reply);
    const frame = (flag: number, bytes: Uint8Array) => [flag, 0, 0, 0, bytes.length, ...bytes];
    const trailer = new TextEncoder().encode("grpc-status:0\r\n");
    const fetch: typeof globalThis.fetch = async (url, init) => {
      calls.push({ url: String(url), body: new Uint8Array(await new Response(init?.body).arrayBuffer()) });
      const body = Uint8Array.from([...frame(0, message), ...frame(0x80, trailer)]);
      return new Response(body, { headers: { "content-type": "application/grpc-web+proto" } });
    };
    return { calls, fetch };
  }

  test("is judged by a node, which gets the same question as from the stock client", async () => {
    const signature = await zkLoginBy();
    const ours = nodeSaying({ isValid: true });
    const stock = nodeSaying({ isValid: true });
    const baseUrl = "http://node.test";
    const client = new SuiGrpcClient({ network: "localnet", baseUrl, format: "binary", fetch: stock.fetch });
    expect(await isValidTransactionSignature(BYTES, signature, { client })).toBe(true);
    expect(await verifyOtherSchemes(BYTES, signature, address, suiServices(baseUrl, boundedFetch(ours.fetch)))).toBe(
      "valid",
    );
    expect(ours.calls).toEqual(stock.calls);
    expect(await verifyOtherSchemes(BYTES, signature, stranger, suiServices(baseUrl, boundedFetch(ours.fetch)))).toBe(
      "unjudged",
    );
  });

  test.each([{ isValid: false }, { isValid: true, reason: "an expired proof" }, {}])(
    "is refused if the node says %o",
    async (reply) => {
      const { fetch } = nodeSaying(reply);
      expect(
        await verifyOtherSchemes(
          BYTES,
          await zkLoginBy(),
          address,
          suiServices("http://node.test", boundedFetch(fetch)),
        ),
      ).toBe("invalid");
    },
  );

  test("is not judged without a node", async () => {
    await expect(verifyOtherSchemes(BYTES, await zkLoginBy(), address, services)).rejects.toThrow("a node was asked");
  });
});
