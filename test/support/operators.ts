import { env } from "cloudflare:workers";
import { expect } from "vitest";
import * as z from "zod";
import type { createAdminApp } from "../../functions/service/admin/app.ts";
import type { OperatorRole } from "../../shared/bindings/operator.ts";
import { authorization } from "./admin-access.ts";

const DAY_MS = 86_400_000;

const madeSchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  expiresAt: z.string(),
  token: z.string(),
});

/** A token of an operator, as it was shown once. */
export type MadeToken = z.output<typeof madeSchema>;

/** Makes a token that ends in a day. */
export async function makeToken(
  app: ReturnType<typeof createAdminApp>,
  role: OperatorRole,
  expiresAtMs = Date.now() + DAY_MS,
): Promise<MadeToken> {
  const response = await app.request(
    "/tokens",
    {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ name: `the ${role}`, role, expiresAt: new Date(expiresAtMs).toISOString() }),
    },
    env,
  );
  expect(response.status).toBe(201);
  return madeSchema.parse(await response.json());
}
