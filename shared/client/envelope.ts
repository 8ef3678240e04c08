import { reasonWithoutData } from "../errors.ts";
import { parseExactJson } from "../exact-json.ts";
import { badReply, failed, type Reply } from "./reply.ts";

/** The id of each request. A client sends one request in a body. */
export const REQUEST_ID = 1;

const MAX_TEXT_CHARACTERS = 4_096;

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns undefined if the body is not JSON. */
function parseReply(body: string): unknown {
  try {
    return parseExactJson(body);
  } catch {
    return undefined;
  }
}

/**
 * Reads one JSON-RPC 2.0 response. The body is hostile input. Some HTTP errors carry the id null. A result must carry
 * the request's id.
 *
 * @returns the unread result, the service's refusal, or `bad_reply`.
 */
export function readResponse(body: string): Reply<unknown> {
  const response = parseReply(body);
  if (isFields(response) && response.jsonrpc === "2.0") {
    const { id, error, result } = response;
    const refused = id === REQUEST_ID || id === null ? readError(error) : null;
    if (refused !== null) return refused;
    if (id === REQUEST_ID && "result" in response) return { ok: true, value: result };
  }
  return badReply("the reply is not a JSON-RPC 2.0 response to this request");
}

/** Reads an error object, and cuts its texts. Null if it has another form. */
function readError(error: unknown): Reply<never> | null {
  if (!isFields(error)) return null;
  const { code, message, data = {} } = error;
  if (typeof code !== "number" || !Number.isSafeInteger(code) || typeof message !== "string" || !isFields(data))
    return null;
  const texts: { details?: string; reason?: string } = {};
  for (const name of ["details", "reason"] as const) {
    const text = data[name];
    if (typeof text === "string") texts[name] = text.slice(0, MAX_TEXT_CHARACTERS);
    else if (text !== undefined) return null;
  }
  const { details = message.slice(0, MAX_TEXT_CHARACTERS), reason = reasonWithoutData({ code, details }) } = texts;
  return failed({ kind: "refused", code, reason, details, data: { ...data, ...texts } });
}
