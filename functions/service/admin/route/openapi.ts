import * as z from "zod";
import { IDEMPOTENCY_KEY } from "../../../../shared/idempotency.ts";
import { permissionOf } from "../operators/permissions.ts";
import { CSV_TYPE } from "./csv.ts";
import { noBody, type Route } from "./route.ts";
import { NDJSON_TYPE } from "./table.ts";

const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

function jsonSchema(schema: z.ZodType, io: "input" | "output"): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}

function content(schema: z.ZodType, io: "input" | "output", type = "application/json"): object {
  return { [type]: { schema: jsonSchema(schema, io) } };
}

function idempotencyParameter(idempotent: Exclude<Route["idempotent"], undefined>): object {
  return {
    name: "Idempotency-Key",
    in: "header",
    required: idempotent === "required",
    description:
      "A repeat with the same key and body makes nothing new, at any time. It answers the first call's object in its present state. The same key with another body is 409.",
    schema: { type: "string", pattern: IDEMPOTENCY_KEY.source },
  };
}

const WHOLE =
  "Without limit and cursor it is the whole list, whose body breaks off if a part cannot be read. Otherwise it is a page, and the header Link has the next one as rel=next.";

const tableContent = {
  [CSV_TYPE]: {
    schema: {
      type: "string",
      description: `If Accept prefers it: RFC 4180 with a header line and one column for each field of an item. Fields that are objects are JSON, null is empty. ${WHOLE}`,
    },
  },
  [NDJSON_TYPE]: {
    schema: { type: "string", description: `If Accept prefers it: one item a line, as JSON. ${WHOLE}` },
  },
};

function parametersOf({ resource, part, query, idempotent }: Route): readonly object[] {
  const inPath = Object.entries({ id: resource, partId: part }).flatMap(([name, named]) =>
    named ? [{ name, in: "path", required: true, schema: jsonSchema(named.idSchema, "input") }] : [],
  );
  const inQuery = Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema: jsonSchema(schema, "input"),
  }));
  return [...inPath, ...inQuery, ...(idempotent ? [idempotencyParameter(idempotent)] : [])];
}

function contentOf({ result, columns, text }: Route): object {
  if (text !== undefined) return Object.fromEntries(text.types.map((type) => [type, { schema: { type: "string" } }]));
  return { ...content(result, "output"), ...(columns !== null && tableContent) };
}

function operationOf(route: Route): object {
  const { leastRole, ownerFields } = permissionOf(route);
  return {
    summary: route.summary,
    "x-least-role": leastRole,
    ...(ownerFields.length > 0 && { "x-owner-fields": ownerFields }),
    parameters: parametersOf(route),
    ...(route.body === noBody ? {} : { requestBody: { required: true, content: content(route.body, "input") } }),
    responses: {
      [route.status]: {
        description: "Done",
        content: contentOf(route),
      },
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

/**
 * Builds an OpenAPI 3.1 document. Its schemas are JSON Schema 2020-12, to which the validating schemas convert
 * unchanged.
 */
export function openApiDocument(routes: readonly Route[], serverPath: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Gasworks admin API", version: "1" },
    servers: [{ url: serverPath }],
    security: [{ adminToken: [] }],
    paths,
    components: {
      securitySchemes: { adminToken: { type: "http", scheme: "bearer" } },
      responses: {
        Problem: {
          description: "Refused, with the reason",
          content: content(problemSchema, "output", "application/problem+json"),
        },
      },
    },
  };
}
