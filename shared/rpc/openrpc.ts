import * as z from "zod";
import { type ApiContract, commonReasons, contract, type MethodContract } from "../api/contract.ts";
import { done, type Reason, rpcErrorOf, textOfReason } from "../errors.ts";
import { type Handler, handler } from "./handler.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

const OPENRPC_VERSION = "1.2.6";
/** OpenRPC cannot describe headers, so the text does. */
const IDEMPOTENT =
  "Honours the header `Idempotency-Key` (1 to 255 printable ASCII characters, not on a batch) for 24 hours: repeated with the same key and params, the call has its effect once and answers the same.";

/** Returns the wire form of a value in JSON Schema draft 7, to which OpenRPC 1.2.6 is bound. */
function wireSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, {
    io: "input",
    target: "draft-07",
    // The metadata of a value that only code can check describes its wire form.
    unrepresentable: "any",
  });
  return jsonSchema;
}

function isZodType(value: unknown): value is z.ZodType {
  return value instanceof z.ZodType;
}

function paramsOf(method: MethodContract): readonly JsonSchema[] {
  return Object.entries(method.params.shape).map(([name, schema]) => {
    if (!isZodType(schema)) throw new Error(`${method.name}: ${name} has no schema`);
    return {
      name,
      description: schema.description ?? "",
      required: !schema.safeParse(undefined).success,
      schema: wireSchema(schema),
    };
  });
}

/**
 * Returns one entry per code, as OpenRPC requires. It holds the reasons that tell the code's causes apart. It holds
 * the texts if those tell them apart.
 */
function errorsOf(method: MethodContract): readonly JsonSchema[] {
  const reasons: readonly Reason[] = [...new Set([...commonReasons, ...method.errors])];
  const byCode = Map.groupBy(reasons, (reason) => rpcErrorOf({ reason, details: "" }).code);
  return [...byCode].map(([code, ofCode]) => ({
    code,
    message: rpcErrorOf({ reason: ofCode[0] ?? "internal", details: "" }).message,
    data: { reason: ofCode, ...textsOf(ofCode) },
  }));
}

function textsOf(reasons: readonly Reason[]): JsonSchema {
  const details = reasons.flatMap((reason) => textOfReason(reason) ?? []);
  return details.length > 0 ? { details } : {};
}

function methodOf(method: MethodContract): JsonSchema {
  const names = Object.keys(method.params.shape);
  return {
    name: method.name,
    summary: method.summary,
    description: method.idempotent ? `${method.description} ${IDEMPOTENT}` : method.description,
    paramStructure: "either",
    params: paramsOf(method),
    result: { name: "result", schema: wireSchema(method.result) },
    errors: errorsOf(method),
    examples: [
      {
        name: method.name,
        params: method.example.params.map((value, index) => ({ name: names[index] ?? "", value })),
        result: { name: "result", value: method.example.result },
      },
    ],
  };
}

/**
 * Builds the OpenRPC 1.2.6 document of an interface (spec.open-rpc.org).
 *
 * @param url the absolute URL of the interface: the meta-schema takes no other.
 */
export function openRpcDocument(service: ApiContract, url: string): JsonSchema {
  const version = service.path.split("/").findLast((segment) => /^v[0-9]+$/.test(segment)) ?? "v1";
  return {
    openrpc: OPENRPC_VERSION,
    info: { title: service.title, version },
    servers: [{ name: service.name, url }],
    methods: service.methods.map(methodOf),
  };
}

/** Handles `rpc.discover`, for any live key of the service's chain. */
export function discoverHandler<Context extends { readonly interfaceUrl: string }>(
  service: ApiContract,
): Handler<Context> {
  let known: { readonly url: string; readonly document: JsonSchema } | null = null;
  const discover = contract({
    name: "rpc.discover",
    summary: "The OpenRPC document of this interface.",
    description: "Answers to any live access key.",
    stores: "little",
    rights: [],
    idempotent: false,
    params: z.object({}),
    result: z.record(z.string(), z.unknown()),
    errors: [],
    example: { params: [], result: {} },
  });
  return handler(discover, async (_, { interfaceUrl }: Context) => {
    if (known?.url !== interfaceUrl) known = { url: interfaceUrl, document: openRpcDocument(service, interfaceUrl) };
    return done(known.document);
  });
}
