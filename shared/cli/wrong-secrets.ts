import * as z from "zod";
import { parseConfig } from "../config/config.ts";
import { masterKeysOfConfig } from "../crypto/configured-master-keys.ts";
import { checkedSecrets, checksOf, secretText, wrongSecretsText } from "../crypto/key-check.ts";
import { orKeyServiceRefusal } from "../crypto/key-service.ts";
import { isConfidential } from "./admin-address.ts";
import { shown } from "./place.ts";
import type { Variables } from "./platform.ts";
import { LaunchError, print } from "./terminal.ts";

const TIMEOUT_MS = 10_000;
const healthSchema = z.object({ status: z.string(), detail: z.string().optional() });
const usedSchema = z.object({
  checks: z.array(z.object({ secret: z.enum(checkedSecrets), version: z.int(), value: z.string() })),
});

/**
 * Checks a service that was just started. It must have the secrets of its state, and no newer build may have written
 * the state.
 *
 * @param warn gets any other fault that the service reports. It may pass, such as a full disk.
 * @throws LaunchError if the service cannot go on. It names the wrong secrets, or the newer build's objects.
 */
export async function refuseUnhealthy(
  serviceUrl: string,
  secretsPath: string,
  warn: (line: string) => void,
): Promise<void> {
  const response = await fetch(`${serviceUrl}/health`);
  const text = await response.text();
  if (response.ok) return;
  const { status, detail = text } = parsedHealth(text) ?? { status: `HTTP ${response.status}` };
  if (status === "wrong_secrets") throw new LaunchError(`${shown(secretsPath)} does not fit the state: ${detail}`);
  if (status === "newer_state") throw new LaunchError(`A newer build has written the state: ${detail}`);
  warn(`GET /health says ${status}: ${detail}`);
}

function parsedHealth(text: string): z.output<typeof healthSchema> | null {
  try {
    return healthSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Compares secrets that are about to be deployed with those of a running deployment. The check uses their own
 * ADMIN_TOKEN. It gets check values, never a secret. Workflows apart from the service have no such token, and nothing is
 * compared before their upload.
 *
 * @param env the variables and secrets of the new deployment.
 * @throws LaunchError naming secrets that differ under the same version, or if the deployment does not answer.
 */
export async function refuseOtherSecrets(url: string, secretsPath: string, env: Variables): Promise<void> {
  const address = `${url.replace(/\/+$/, "")}/admin/v1/master-key`;
  if (!isConfidential(address)) throw new LaunchError("--url must be where the service answers: https://…");
  const config = parseConfig(env);
  if (config.service === null) {
    print(
      `FLOWS_SECRET is not compared before the upload. Afterwards, GET ${url.replace(/\/+$/, "")}/health says if it is another.`,
    );
    return;
  }
  const headers = { authorization: `Bearer ${config.service.adminToken}` };
  const response = await fetch(address, { headers, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (error: unknown) => {
      throw new LaunchError(
        `${url} does not answer, so that its secrets cannot be compared. Check --url: ${String(error)}`,
      );
    },
  );
  if (response.status === 401)
    throw new LaunchError(
      `${url} refuses the ADMIN_TOKEN of ${shown(secretsPath)}: use that deployment's secrets. If only the token is new, deploy it without --url`,
    );
  const used = usedSchema.safeParse(await response.json().catch(() => null));
  if (!used.success) throw new LaunchError(`${url} shows no check values of its secrets: check --url`);
  const ports = { fetch, nowMs: Date.now, log: () => {} };
  const masterKeys = masterKeysOfConfig(config.service.masterKeys, ports);
  const held = await orKeyServiceRefusal(checksOf({ config, masterKeys }));
  if (!held.ok)
    throw new LaunchError(`Nothing was uploaded. ${shown(secretsPath)} cannot be compared: ${held.error.details}`);
  const mine = held.value;
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
