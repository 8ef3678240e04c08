/** The last argument of a reviver: a number as it stands in the text (TC39 "JSON.parse source text access"). */
interface Source {
  readonly source?: string;
}

const INTEGER = /^-?[0-9]+$/;

function isInexact(digits: string): boolean {
  return INTEGER.test(digits) && !Number.isSafeInteger(Number(digits));
}

/**
 * Reads JSON with exact integers: those above 2^53 become bigint, every other number a number.
 *
 * @throws SyntaxError if the text is not JSON, RangeError if it nests too deeply.
 */
export function parseExactJson(text: string): unknown {
  let isSourceMissing = false;
  const parsed: unknown = JSON.parse(text, (_key, value: unknown, context?: Source) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const { source } = context ?? {};
    if (source === undefined) isSourceMissing = true;
    return source !== undefined && INTEGER.test(source) ? BigInt(source) : value;
  });
  return isSourceMissing ? parseMarked(text) : parsed;
}

const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g;

/**
 * Reads the same on older runtimes, such as Node 20, which do not show a number's own text. Each inexact integer
 * becomes a text behind a character that no text of this JSON has.
 */
function parseMarked(text: string): unknown {
  const mark = unusedCharacter(text);
  const marked = text.replace(TEXT_OR_NUMBER, (token) => (isInexact(token) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

const PRIVATE_CHARACTERS = Array.from({ length: 16 }, (_, index) => 0xe000 + index);

/**
 * Returns a character of the private use area that the JSON holds neither plain nor escaped.
 *
 * @throws SyntaxError if the JSON holds the whole choice, which no answer of the service does.
 */
function unusedCharacter(json: string): string {
  const lowerCase = json.toLowerCase();
  const isUsed = (code: number) =>
    lowerCase.includes(String.fromCharCode(code)) || lowerCase.includes(`\\u${code.toString(16)}`);
  const unused = PRIVATE_CHARACTERS.find((code) => !isUsed(code));
  if (unused === undefined) throw new SyntaxError("the JSON holds every character that could mark an integer");
  return String.fromCharCode(unused);
}
