import * as z from "zod";
import { parseConfig } from "../../shared/config/config.ts";
import { checkedSecrets, checksOf, secretText, wrongSecretsText } from "../../shared/crypto/key-check.ts";
import { isConfidential } from "./admin-address.ts";
import { shown } from "./place.ts";
import type { Variables } from "./platform.ts";
import { LaunchError, print } from "./terminal.ts";

const TIMEOUT_MS = 10_000;
const healthSchema = z.object({ status: z.literal("wrong_secrets"), detail: z.string() });
const usedSchema = z.object({
  checks: z.array(z.object({ secret: z.enum(checkedSecrets), version: z.int(), value: z.string() })),
});

/**
 * Asks a service that was just started whether it has the secrets that its state was made with.
 *
 * @throws LaunchError naming those that are others.
 */
export async function refuseWrongSecrets(serviceUrl: string, secretsPath: string): Promise<void> {
  const response = await fetch(`${serviceUrl}/health`);
  const wrong = healthSchema.safeParse(await response.json());
  if (wrong.success) throw new LaunchError(`${shown(secretsPath)} does not fit the state: ${wrong.data.detail}`);
}

/**
 * Compares secrets that are about to be deployed with those that a deployment uses. It is asked with their own
 * ADMIN_TOKEN, and answers check values, never a secret.
 *
 * @param env the variables and secrets of the new deployment.
 * @throws LaunchError naming those that are others under the same version, or where it cannot be asked.
 */
export async function refuseOtherSecrets(url: string, secretsPath: string, env: Variables): Promise<void> {
  const address = `${url.replace(/\/+$/, "")}/admin/v1/master-key`;
  if (!isConfidential(address)) throw new LaunchError("--url must be where the service answers: https://…");
  const config = parseConfig(env);
  const headers = { authorization: `Bearer ${config.service?.adminToken ?? ""}` };
  const response = await fetch(address, { headers, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (error: unknown) => {
      throw new LaunchError(`${url} does not answer, so that its secrets cannot be compared: ${String(error)}`);
    },
  );
  if (response.status === 401)
    throw new LaunchError(
      `${url} does not take the ADMIN_TOKEN of ${shown(secretsPath)}. Are these the secrets of that deployment? If only the token is new, deploy it without --url`,
    );
  const used = usedSchema.safeParse(await response.json().catch(() => null));
  if (!used.success) throw new LaunchError(`${url} is not a service that tells the check values of its secrets`);
  const mine = checksOf(config);
  const wrong = used.data.checks.filter((check) =>
    mine.some(
      ({ secret, version, value }) => secret === check.secret && version === check.version && value !== check.value,
    ),
  );
  if (wrong.length > 0)
    throw new LaunchError(`Nothing was uploaded. ${shown(secretsPath)}: ${wrongSecretsText(wrong)}`);
  const gone = used.data.checks.filter(
    ({ secret, version }) =>
      secret === "MASTER_KEYS" && !mine.some((one) => one.secret === secret && one.version === version),
  );
  if (gone.length > 0) print(`No longer there: ${gone.map(secretText).join(", ")}. Is nothing sealed under it?`);
}
