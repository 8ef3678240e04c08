import type * as z from "zod";
import { u64Input, u64Output } from "../../amounts.ts";
import {
  accountAuthenticatorBytes,
  aptosAddress,
  ed25519AuthenticatorBytes,
  rawTransactionBytes,
  signingMessageBytes,
} from "../../api/aptos-values.ts";
import { base64Bytes, suiAddress } from "../../api/sui-values.ts";

/** A schema as the package has it: its TypeScript type, and the codec that reads and writes it. */
export interface Written {
  readonly type: string;
  readonly codec: string;
}

type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypeDef;

/** Schemas that the package writes by hand (`shared/client/package/codec.ts`). `.describe()` keeps the definition. */
const BY_HAND: ReadonlyMap<Def, Written> = new Map<Def, Written>([
  [base64Bytes._zod.def, { type: "Uint8Array", codec: "base64Bytes" }],
  [rawTransactionBytes._zod.def, { type: "Uint8Array", codec: "hexBytes" }],
  [accountAuthenticatorBytes._zod.def, { type: "Uint8Array", codec: "hexBytes" }],
  [ed25519AuthenticatorBytes._zod.def, { type: "Uint8Array", codec: "byteNumbers" }],
  [signingMessageBytes._zod.def, { type: "Uint8Array", codec: "byteNumbers" }],
  [u64Input._zod.def, { type: "bigint", codec: "u64Text" }],
  [u64Output._zod.def, { type: "bigint", codec: "u64" }],
  [suiAddress._zod.def, { type: "string", codec: "address" }],
  [aptosAddress._zod.def, { type: "string", codec: "address" }],
]);

/** A schema that has a name of its own in the package. */
export interface Named {
  readonly name: string;
  readonly schema: Schema;
  readonly description: string;
}

/** Writes zod schemas as types and codecs of the package. */
export class SchemaWriter {
  readonly #named: ReadonlyMap<Def, Named>;

  constructor(named: readonly Named[]) {
    this.#named = new Map(named.map((one) => [one.schema._zod.def, one]));
  }

  /** Writes a schema, by its name if it has one. */
  write(schema: Schema): Written {
    const named = this.#named.get(schema._zod.def);
    if (named === undefined) return this.writeWhole(schema);
    return { type: named.name, codec: `${codecName(named.name)}()` };
  }

  /** Writes a schema without its name. @throws Error for a kind of schema that the package cannot read. */
  writeWhole(schema: Schema): Written {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    const byHand = BY_HAND.get(def);
    if (byHand !== undefined) return byHand;
    switch (def.type) {
      case "string":
        return { type: "string", codec: codecOfText(def) };
      case "number":
        return { type: "number", codec: codecOfNumber(def) };
      case "boolean":
        return { type: "boolean", codec: "boolean" };
      case "unknown":
        return { type: "unknown", codec: "unknown" };
      case "record": {
        // Only a message that the service passes on is one: its fields are not read.
        const { type } = this.write(def.valueType);
        return { type: `Readonly<Record<string, ${type}>>`, codec: "record" };
      }
      case "enum":
        return oneOf(Object.values(def.entries));
      case "literal":
        return oneOf(def.values);
      case "array": {
        const item = this.write(def.element);
        return { type: `readonly ${grouped(item.type)}[]`, codec: `array(${item.codec})` };
      }
      case "tuple": {
        const items = def.items.map((item) => this.write(item));
        return { type: `readonly [${list(items, "type")}]`, codec: `tuple(${list(items, "codec")})` };
      }
      case "union": {
        const options = def.options.map((option) => this.write(option));
        const type = [...new Set(options.map((option) => option.type))].join(" | ");
        return { type, codec: `union<${type}>(${list(options, "codec")})` };
      }
      case "nullable": {
        const inner = this.write(def.innerType);
        return { type: `${inner.type} | null`, codec: `nullable(${inner.codec})` };
      }
      case "readonly":
        return this.write(def.innerType);
      case "custom":
        return writeCustom(schema);
      case "object":
        return this.fields(def.shape, "result");
      default:
        throw new Error(`the package has no codec for a schema of the type ${def.type}`);
    }
  }

  /**
   * Writes the fields of an object.
   *
   * @param side the code leaves optional params out, or sets them to undefined. In results they are left out, and a
   * default is always there.
   */
  fields(shape: Readonly<Record<string, Schema>>, side: "params" | "result"): Written {
    const fields = Object.entries(shape).map(([name, schema]) => this.#field(name, schema, side));
    if (fields.length === 0) return { type: "Readonly<Record<string, never>>", codec: "{}" };
    const type = `{\n${fields.map((field) => field.type).join("\n")}\n}`;
    const codecs = `{ ${list(fields, "codec")} }`;
    return { type, codec: side === "params" ? codecs : `object<${type}>(${codecs})` };
  }

  #field(name: string, schema: Schema, side: "params" | "result"): Written {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    const doc = comment(descriptionOf(schema));
    if (def.type !== "optional" && def.type !== "default") {
      const inner = this.write(schema);
      return { type: `${doc}readonly ${name}: ${inner.type};`, codec: `${name}: ${inner.codec}` };
    }
    const inner = this.write(def.innerType);
    const fallback = def.type === "default" && side === "result" ? `, ${JSON.stringify(def.defaultValue)}` : "";
    const codec = `${name}: optional(${inner.codec}${fallback})`;
    const isExact = def.type === "optional" && schema._zod.traits.has("ZodExactOptional");
    const isThere = def.type === "default" && side === "result";
    const type = isExact || isThere ? inner.type : `${inner.type} | undefined`;
    return { type: `${doc}readonly ${name}${isThere ? "" : "?"}: ${type};`, codec };
  }
}

/** Writes the function that returns a codec. A bundler leaves it out if nothing uses it. */
export function codecFunction(name: string, type: string, codec: string): string {
  return `function ${name}(): Codec<${type}> {\nreturn ${codec};\n}`;
}

/** Returns the name of the codec of a named schema. */
export function codecName(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

/** Returns the description of a schema, also of one inside that is optional. Null if it has none. */
export function descriptionOf(schema: Schema): string | null {
  const { description } = schema as z.ZodType;
  if (description !== undefined) return description;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === "optional" || def.type === "default" ? descriptionOf(def.innerType) : null;
}

/** Writes a doc comment in a line of its own. Nothing for null. */
export function comment(text: string | null): string {
  return text === null ? "" : `/** ${text.replaceAll("*/", "* /")} */\n`;
}

const list = (items: readonly Written[], part: keyof Written) => items.map((item) => item[part]).join(", ");
const grouped = (type: string) => (/^\w+$/.test(type) ? type : `(${type})`);

function oneOf(values: readonly unknown[]): Written {
  const texts = values.map((value) => JSON.stringify(value));
  return { type: texts.join(" | "), codec: `oneOf(${texts.join(", ")})` };
}

/** Keeps that a number is whole, and not negative. */
function codecOfNumber(def: z.core.$ZodNumberDef): string {
  const rules = [def, ...(def.checks ?? []).map((check) => check._zod.def)];
  const isWhole = rules.some((one) => "format" in one && one.format === "safeint");
  const isNatural = rules.some(
    (one) => "check" in one && one.check === "greater_than" && "value" in one && one.value === 0,
  );
  if (!isWhole) return "number";
  return isNatural ? "natural" : "integer";
}

/** Keeps the form of a text. The service judges its length, and forms that are no regular expression. */
function codecOfText({ checks = [] }: z.core.$ZodStringDef): string {
  const patterns = checks.flatMap((check) => {
    const { def } = check._zod;
    return "pattern" in def && def.pattern instanceof RegExp ? [def.pattern] : [];
  });
  if (patterns.length > 1) throw new Error("a text of the package has one form at most");
  return patterns[0] === undefined ? "text" : `pattern(${patterns[0]})`;
}

/** The JSON Schema of a custom schema describes it. */
function writeCustom(schema: Schema): Written {
  const { type } = (schema as z.ZodType).meta() ?? {};
  if (type !== "array") throw new Error("the package has no codec for this custom schema");
  return { type: "readonly unknown[]", codec: "array(unknown)" };
}
