import type { Deps } from "../bindings/deps.ts";
import { createAptosGasClient } from "../client/gas-client.ts";
import type { AptosNetwork } from "../networks.ts";
import type { ServiceAccess } from "./service.ts";

/** A change of the key's policy holds for workflows after this time. The fund refuses at once. */
const KNOWN_FOR_MS = 60_000;

interface Known {
  readonly isAllowed: boolean;
  readonly untilMs: number;
}

/** The keys of this deployment. Values alone are kept, since no request may await the promise of another one. */
const known = new WeakMap<Deps, Map<string, Known>>();

/** Returns whether the fund pays for orderless transactions of the app's access key. False if it is not known. */
export async function paysForOrderless({ options }: ServiceAccess<AptosNetwork>, deps: Deps): Promise<boolean> {
  const keys = known.get(deps) ?? new Map<string, Known>();
  known.set(deps, keys);
  const nowMs = deps.clock.nowMs();
  const before = keys.get(options.accessKey);
  if (before !== undefined && nowMs < before.untilMs) return before.isAllowed;
  const fund = await createAptosGasClient(options).getFund({});
  // A key without the right, or a service that does not answer, refuses the transaction itself.
  if (!fund.ok) return false;
  const isAllowed = fund.value.orderless === true;
  keys.set(options.accessKey, { isAllowed, untilMs: nowMs + KNOWN_FOR_MS });
  return isAllowed;
}

/** Reads the key's policy again before the next transaction, because the fund has refused an orderless one. */
export function forgetOrderless({ options }: ServiceAccess<AptosNetwork>, deps: Deps): void {
  known.get(deps)?.delete(options.accessKey);
}
