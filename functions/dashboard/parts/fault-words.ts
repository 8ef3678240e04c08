const BOUND = /^Too (big|small): expected \w+ to (have|be) [<>]=?(-?\d+)(?: (\w+))?$/;
const TYPE = /^Invalid input: expected (\w+), received/;
const TYPES: Readonly<Record<string, string>> = { number: "a number", int: "a whole number", string: "a text" };
/** A page takes amounts in coins, and sends what is no amount as it is. */
const ATOMS = "must be a u64 as a decimal string";
const FIELDS_ARE_WRONG = /^the \w+ has invalid fields: see errors$/;

/** Returns what a schema says of a field, in words for a person. Words of the schema's author stay. */
export function faultWords(message: string): string {
  if (message === ATOMS) return "must be an amount in coins, such as 0.5";
  const bound = BOUND.exec(message);
  if (bound !== null) {
    const [, size, verb, limit, unit] = bound;
    return `must ${verb} at ${size === "big" ? "most" : "least"} ${limit}${unit === undefined ? "" : ` ${unit}`}`;
  }
  const [, type = ""] = TYPE.exec(message) ?? [];
  return type === "" ? message : `must be ${TYPES[type] ?? `of the type ${type}`}`;
}

/** Returns the sentence above the fields of a form that was refused. */
export function formFault(detail: string): string {
  return FIELDS_ARE_WRONG.test(detail) ? "Nothing is saved. Mend the fields below" : detail;
}
