import type * as z from "zod";

/**
 * The commands call a running service as any caller does, with `fetch` and without the service's own client. The
 * end-to-end tests use the same functions.
 */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed value of JSON, else the text. Null for an empty body. */
  readonly body: unknown;
}

/** Fetches, and reads the whole body. Rejects as `fetch` does, and if a JSON body cannot be parsed. */
export async function http(url: string, init: RequestInit = {}): Promise<HttpAnswer> {
  return readAnswer(await fetch(url, init));
}

/** Reads the whole body of a response. Rejects if it breaks off, and if a JSON body cannot be parsed. */
export async function readAnswer(response: Response): Promise<HttpAnswer> {
  const text = await response.text();
  const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : text || null,
  };
}

/** The headers of a JSON body. */
export const JSON_HEADERS = { "content-type": "application/json" };

/** The service gave another answer than the command needs. A person reads the message without its stack trace. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";
  /** The answer. Null if the error is about something else. */
  readonly answer: HttpAnswer | null;

  constructor(message: string, answer: HttpAnswer | null = null) {
    super(message);
    this.answer = answer;
  }
}

/**
 * Returns the body of an answer with a 2xx status.
 *
 * @param what names the call in the error.
 * @throws UnexpectedAnswer for another status, and for a body that is not of the schema.
 */
export function expectAnswer<Schema extends z.ZodType>(
  what: string,
  answer: HttpAnswer,
  schema: Schema,
): z.output<Schema> {
  const { status, body } = answer;
  const parsed = schema.safeParse(body);
  if (status >= 200 && status < 300 && parsed.success) return parsed.data;
  throw new UnexpectedAnswer(`${what} answered ${status}: ${JSON.stringify(body)}`, answer);
}
