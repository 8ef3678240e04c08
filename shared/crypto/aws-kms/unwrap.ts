import { AwsV4Signer } from "aws4fetch";
import { readReplyText } from "../../chain/bounded-reply.ts";
import type { AwsKms } from "../../config/master-keys.ts";
import type { Fetch } from "../../http/fetch.ts";
import { sleep, withTimeLimit } from "../../timing.ts";
import type { Unwrapped } from "../key-service.ts";
import {
  DECRYPT_HEADERS,
  decryptBody,
  MAX_REPLY_BYTES,
  readDecryptReply,
  unreachable,
  type WrappedKey,
} from "./decrypt.ts";

const TIMEOUT_MS = 2_500;
const MAX_TRIES = 2;
const PAUSE_MS = 100;

/** The dependencies of a call of AWS KMS. */
export interface KmsPorts {
  readonly fetch: Fetch;
  /** KMS refuses a signature whose time is five minutes off. */
  readonly nowMs: () => number;
}

/** Unwraps a master key version with AWS KMS. Calls it again once if it cannot be reached, so it takes 5.1 s at most. */
export async function unwrapByKms(kms: AwsKms, wrapped: WrappedKey, ports: KmsPorts): Promise<Unwrapped> {
  for (let tries = 1; ; tries += 1) {
    const unwrapped = await decrypt(kms, wrapped, ports);
    if (unwrapped.ok || unwrapped.error.kind === "refused" || tries === MAX_TRIES) return unwrapped;
    await sleep(PAUSE_MS);
  }
}

async function decrypt(kms: AwsKms, wrapped: WrappedKey, { fetch, nowMs }: KmsPorts): Promise<Unwrapped> {
  const { keyArn } = kms;
  const { url, headers, body } = await signed(kms, decryptBody(keyArn, wrapped), nowMs());
  try {
    return await withTimeLimit(TIMEOUT_MS, async (signal) => {
      // A redirect would take the request to a host that nobody has configured.
      const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
      const text = await readReplyText(response, MAX_REPLY_BYTES);
      return readDecryptReply({ status: response.status, text }, keyArn, wrapped.version);
    });
  } catch (error) {
    const timedOut = error instanceof Error && error.name === "TimeoutError";
    return unreachable(timedOut ? `did not answer within ${TIMEOUT_MS / 1_000} s` : "did not answer");
  }
}

/** Signs a request (AWS Signature Version 4). */
async function signed(kms: AwsKms, body: string, nowMs: number) {
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken } = kms;
  const signer = new AwsV4Signer({
    method: "POST",
    url: `${endpoint}/`,
    headers: DECRYPT_HEADERS,
    body,
    service: "kms",
    region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== null && { sessionToken }),
    datetime: new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ""),
    allHeaders: true,
  });
  const { url, headers } = await signer.sign();
  return { url, headers, body };
}
