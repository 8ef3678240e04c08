import * as z from "zod";
import { type Address, longAddress } from "../address.ts";
import { ApiError, notFound, unparsable } from "../errors.ts";
import type { ApiCall } from "./route.ts";

const MAX_PAGE = 100;
const DEFAULT_PAGE = 25;
const U64 = /^\d{1,20}$/;
const HASH = /^(0x)?[0-9a-fA-F]{64}$/;

export function addressParam({ params }: ApiCall): Address {
  try {
    return longAddress(params.address ?? "");
  } catch (error) {
    throw unparsable("path", "address", error instanceof Error ? error.message : "not an address");
  }
}

export function hashParam({ params }: ApiCall): string {
  const text = params.hash ?? "";
  if (!HASH.test(text)) throw unparsable("path", "txn_hash", `"${text}" is not a hash`);
  return `0x${text.replace(/^0x/, "").toLowerCase()}`;
}

/** A version or height of the path. */
export function numberParam({ params }: ApiCall, name: string): number {
  const text = params[name] ?? "";
  if (!U64.test(text)) throw unparsable("path", name, `"${text}" is not an unsigned integer`);
  return Number(text);
}

export function numberQuery({ query }: ApiCall, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!U64.test(text)) throw unparsable("query", name, `"${text}" is not an unsigned integer`);
  return Number(text);
}

export function flagQuery({ query }: ApiCall, name: string): boolean {
  const parsed = z.enum(["true", "false"]).nullable().safeParse(query.get(name));
  if (!parsed.success) throw unparsable("query", name, `"${query.get(name)}" is not a boolean`);
  return parsed.data === "true";
}

export function limitQuery(call: ApiCall, { most = MAX_PAGE, otherwise = DEFAULT_PAGE } = {}): number {
  const limit = numberQuery(call, "limit") ?? otherwise;
  if (limit === 0) {
    throw new ApiError(400, "invalid_input", "Given limit value (0) must not be zero");
  }
  return Math.min(limit, most);
}

/** The version that a read is about: `ledger_version`, or the last one that the node shows. */
export function versionQuery(call: ApiCall): number {
  const latest = call.node.view().version;
  const version = numberQuery(call, "ledger_version") ?? latest;
  if (version > latest) throw notFound("version_not_found", "Ledger version", `Ledger version(${version})`);
  return version;
}

export function requireContentType({ contentType }: ApiCall, ...supported: string[]): void {
  if (supported.includes(contentType)) return;
  const message = `the \`Content-Type\` requested by the client is not supported: ${contentType}`;
  throw new ApiError(415, "web_framework_error", message);
}
