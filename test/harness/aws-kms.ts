import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";

/**
 * Stands in for AWS KMS: `Decrypt` over HTTP, with its signature (AWS Signature Version 4), encryption context and key.
 * It imports nothing of the service, so that each checks the other.
 */
export const KEY_ARN = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
const ALGORITHM = "SYMMETRIC_DEFAULT";
const REGION = "eu-central-1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAX_SKEW_MS = 300_000;

/** The faults of the stand-in, each in place of its work. */
export type KmsFault =
  | "hang"
  | "drop"
  | "internal"
  | "unavailable_key"
  | "throttle"
  | "denied"
  | "disabled"
  | "redirect"
  | "other_key"
  | "short"
  | "no_json"
  | "huge";

const ERRORS: Partial<Record<KmsFault, string>> = {
  internal: "KMSInternalException",
  unavailable_key: "KeyUnavailableException",
  throttle: "ThrottlingException",
  denied: "AccessDeniedException",
  disabled: "DisabledException",
};

const decryptSchema = z.object({
  CiphertextBlob: z.base64(),
  EncryptionContext: z.record(z.string(), z.string()),
  EncryptionAlgorithm: z.literal(ALGORITHM),
  KeyId: z.string(),
});

export interface KmsStandIn {
  readonly url: string;
  /** Variables of a service that uses it. */
  readonly vars: Readonly<Record<string, string>>;
  /** The versions that it was asked for, in their order, also if it refused. */
  readonly asked: string[];
  /** Null for none. */
  fault: KmsFault | null;
  /** Returns the CiphertextBlob, in base64, of new random bytes. Nobody sees them, as with `GenerateDataKeyWithoutPlaintext`. */
  wrapNew(version: number): string;
  /** Wraps known bytes, as `Encrypt`. */
  wrap(bytes: Uint8Array, context: Readonly<Record<string, string>>): string;
  stop(): Promise<void>;
}

export function contextOf(version: number) {
  return { gasworks: "MASTER_KEYS", version: String(version) };
}

/** @param more also sends this session token. */
export async function startKms(more: { readonly sessionToken?: string } = {}): Promise<KmsStandIn> {
  const key = randomBytes(32);
  const accessKeyId = `AKIA${randomBytes(8).toString("hex").toUpperCase()}`;
  const secretAccessKey = randomBytes(30).toString("base64");
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });

  const standIn: KmsStandIn = {
    url: "",
    vars: {},
    asked: [],
    fault: null,
    wrapNew: (version) => standIn.wrap(randomBytes(32), contextOf(version)),
    wrap: (bytes, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(aadOf(context));
      const sealed = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
      return Buffer.concat([nonce, sealed]).toString("base64");
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  function unwrap(blob: string, context: Readonly<Record<string, string>>): Buffer | null {
    const bytes = Buffer.from(blob, "base64");
    try {
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES)).setAAD(aadOf(context));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      return null;
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const refused = signatureProblem(request, body);
    if (refused !== null) {
      refuse(response, 400, refused);
      return;
    }
    const decrypt = decryptSchema.parse(JSON.parse(body));
    standIn.asked.push(decrypt.EncryptionContext.version ?? "");
    const bytes = unwrap(decrypt.CiphertextBlob, decrypt.EncryptionContext);
    if (standIn.fault !== null) fail(standIn.fault, response);
    else if (decrypt.KeyId !== KEY_ARN) refuse(response, 400, "IncorrectKeyException");
    else if (bytes === null) refuse(response, 400, "InvalidCiphertextException");
    else reply(response, 200, { KeyId: KEY_ARN, Plaintext: bytes.toString("base64"), EncryptionAlgorithm: ALGORITHM });
  }

  function signatureProblem(request: IncomingMessage, body: string): string | null {
    const { headers, method, url } = request;
    const [, credential, signedHeaders = "", signature = ""] =
      /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
        headers.authorization ?? "",
      ) ?? [];
    const date = String(headers["x-amz-date"]);
    const scope = `${date.slice(0, 8)}/${REGION}/kms/aws4_request`;
    if (credential !== `${accessKeyId}/${scope}`) return "UnrecognizedClientException";
    if (headers["x-amz-security-token"] !== more.sessionToken) return "UnrecognizedClientException";
    const atMs = Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    if (!(Math.abs(Date.now() - atMs) < MAX_SKEW_MS)) return "InvalidSignatureException";
    const names = signedHeaders.split(";");
    const needed = ["content-type", "host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))];
    if (!needed.every((name) => names.includes(name))) return "IncompleteSignatureException";
    if (method !== "POST" || url !== "/" || headers["x-amz-target"] !== "TrentService.Decrypt")
      return "UnknownOperationException";
    const lines = names.map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, " ")}\n`);
    const canonical = [method, url, "", lines.join(""), signedHeaders, sha256(body)].join("\n");
    const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
    const signingKey = scope
      .split("/")
      .reduce((from: string | Buffer, part) => hmac(from, part), `AWS4${secretAccessKey}`);
    const isRight = timingSafeEqual(hmac(signingKey, text), Buffer.from(signature, "hex"));
    return isRight ? null : "InvalidSignatureException";
  }

  const { port } = await new Promise<AddressInfo>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") throw new Error("no port");
      resolve(address);
    });
  });
  const url = `http://127.0.0.1:${port}`;
  const vars = {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL_KMS: url,
    ...(more.sessionToken !== undefined && { AWS_SESSION_TOKEN: more.sessionToken }),
  };
  return Object.assign(standIn, { url, vars });
}

function fail(fault: KmsFault, response: ServerResponse): void {
  const name = ERRORS[fault];
  if (name !== undefined) refuse(response, name.startsWith("K") ? 500 : 400, name);
  else if (fault === "drop") response.destroy();
  else if (fault === "redirect") response.writeHead(307, { location: "http://127.0.0.1:9/" }).end();
  else if (fault === "no_json") response.writeHead(200).end("<html>");
  else if (fault !== "hang") decrypted(response, fault);
}

/** Answers as if it had decrypted, with a fault. */
function decrypted(response: ServerResponse, fault: KmsFault): void {
  const KeyId = fault === "other_key" ? KEY_ARN.replace("1234abcd", "ffffffff") : KEY_ARN;
  const Plaintext = randomBytes(fault === "short" ? 31 : 32).toString("base64");
  reply(response, 200, { KeyId, Plaintext, filler: "x".repeat(fault === "huge" ? 1_000_000 : 0) });
}

function aadOf(context: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).toSorted()));
}

function refuse(response: ServerResponse, status: number, name: string): void {
  reply(response, status, { __type: name, Message: "a text that nobody should pass on" });
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
