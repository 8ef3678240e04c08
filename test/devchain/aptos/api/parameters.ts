import * as z from "zod";
import { type Address, longAddress } from "../address.ts";
import { ApiError, invalidInput, notFound, pruned, unparsable } from "../errors.ts";
import { whyNoAddress } from "./json-body.ts";
import type { ApiCall } from "./route.ts";

const MAX_PAGE = 100;
const DEFAULT_PAGE = 25;
const DIGITS = /^\d+$/;
const U16_MAX = 65_535n;
const U64_MAX = 2n ** 64n - 1n;
const HASH = /^(0x)?[0-9a-fA-F]{64}$/;

export function addressParam({ params }: ApiCall): Address {
  try {
    return longAddress(params.address ?? "");
  } catch (error) {
    const message = `Invalid account address: ${error instanceof Error ? error.message : "not an address"}`;
    throw unparsable("path", "address", "string(Address)", whyNoAddress(params.address ?? "") ?? message);
  }
}

export function hashParam({ params }: ApiCall): string {
  const text = params.hash ?? "";
  if (!HASH.test(text)) throw unparsable("path", "txn_hash", "string(HashValue)", "unable to parse HashValue");
  return `0x${text.replace(/^0x/, "").toLowerCase()}`;
}

/** A version or height of the path. */
export function numberParam({ params }: ApiCall, name: string): bigint {
  const text = params[name] ?? "";
  const why = whyNoInteger(text, U64_MAX);
  if (why !== null)
    throw unparsable("path", name, "string(U64)", `Parsing u64 string "${text}" failed, caused by error: ${why}`);
  return BigInt(text);
}

export function numberQuery({ query }: ApiCall, name: string): bigint | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const why = whyNoInteger(text, U64_MAX);
  if (why === null) return BigInt(text);
  throw unparsable("parameter", name, "string(U64)", `Parsing u64 string "${text}" failed, caused by error: ${why}`);
}

/** Null: it is one. The words are those of Rust. */
function whyNoInteger(text: string, most: bigint): string | null {
  if (text === "") return "cannot parse integer from empty string";
  if (!DIGITS.test(text)) return "invalid digit found in string";
  return BigInt(text) > most ? "number too large to fit in target type" : null;
}

export function flagQuery({ query }: ApiCall, name: string): boolean {
  const parsed = z.enum(["true", "false"]).nullable().safeParse(query.get(name));
  if (!parsed.success) throw unparsable("parameter", name, "boolean", `"${query.get(name)}" is not a boolean`);
  return parsed.data === "true";
}

export function limitQuery(call: ApiCall, { most = MAX_PAGE, otherwise = DEFAULT_PAGE } = {}): number {
  const text = call.query.get("limit");
  const why = text === null ? null : whyNoInteger(text, U16_MAX);
  if (why !== null) throw unparsable("parameter", "limit", "integer(uint16)", why);
  const limit = text === null ? otherwise : Number(text);
  if (limit === 0) throw invalidInput("Given limit value (0) must not be zero");
  return Math.min(limit, most);
}

/** Refuses what the endpoint has pruned. */
export function requireUnpruned({ node }: ApiCall, version: bigint): void {
  const oldest = node.oldest();
  if (version < BigInt(oldest.version)) throw pruned("version_pruned", `Ledger version(${version})`, oldest);
}

/** The version that a read is about: `ledger_version`, or the last one that the node shows. */
export function versionQuery(call: ApiCall): number {
  const latest = call.node.view().version;
  const version = numberQuery(call, "ledger_version") ?? BigInt(latest);
  if (version > BigInt(latest)) throw notFound("version_not_found", "Ledger version", `Ledger version(${version})`);
  requireUnpruned(call, version);
  return Number(version);
}

export function requireContentType({ contentType }: ApiCall, ...supported: string[]): void {
  if (supported.includes(contentType)) return;
  const message = `the \`Content-Type\` requested by the client is not supported: ${contentType}`;
  throw new ApiError(415, "web_framework_error", message);
}
