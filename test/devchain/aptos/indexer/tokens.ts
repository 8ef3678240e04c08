export class QueryError extends Error {
  override readonly name = "QueryError";
}

const TOKEN =
  /[\s,﻿]+|#[^\n]*|(\.\.\.|[{}()[\]:$!=@|&])|([_A-Za-z][_0-9A-Za-z]*)|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|"((?:[^"\\\n]|\\.)*)"/y;
const MAX_QUERY_LENGTH = 16_384;

interface Token {
  readonly kind: "mark" | "name" | "number" | "string" | "end";
  readonly text: string;
}

function tokenize(query: string): Token[] {
  if (query.length > MAX_QUERY_LENGTH) throw new QueryError("the query is too long");
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < query.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(query);
    if (match === null) throw new QueryError(`not a valid graphql query: unexpected character at ${at}`);
    const [, mark, name, number, text] = match;
    if (mark !== undefined) tokens.push({ kind: "mark", text: mark });
    else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (text !== undefined) tokens.push({ kind: "string", text: unescaped(text) });
  }
  return tokens;
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    throw new QueryError("not a valid graphql query: malformed string");
  }
}

export type Tokens = ReturnType<typeof readTokens>;

/** The words of a query, one after another. */
export function readTokens(query: string) {
  const tokens = tokenize(query);
  let position = 0;

  const peek = (): Token => tokens[position] ?? { kind: "end", text: "the end" };

  function next(): Token {
    const token = peek();
    position += 1;
    return token;
  }

  function expect(kind: Token["kind"], text?: string): string {
    const token = next();
    if (token.kind !== kind || (text !== undefined && token.text !== text)) throw unexpected(token);
    return token.text;
  }

  /** Takes this mark, if it is the next word, and says whether it was. */
  function take(text: string): boolean {
    const isNext = peek().kind === "mark" && peek().text === text;
    if (isNext) position += 1;
    return isNext;
  }

  return { peek, next, expect, take };
}

export function unexpected({ text }: Token): QueryError {
  return new QueryError(`not a valid graphql query: unexpected ${text}`);
}
