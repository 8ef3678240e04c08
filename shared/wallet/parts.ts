import { type Deps, serviceMasterKeys } from "../bindings/deps.ts";
import type { Env } from "../bindings/env.ts";
import type { ProjectObject } from "../bindings/project.ts";
import type { MasterKeys } from "../crypto/master-keys.ts";
import type { DueTable } from "../durable/due-table.ts";
import type { Outbox } from "../durable/outbox.ts";
import type { WalletStore } from "./store.ts";

/** Parts of one wallet's object that its other parts share. */
export interface WalletParts {
  readonly env: Env;
  readonly deps: Deps;
  readonly storage: DurableObjectStorage;
  readonly due: DueTable;
  readonly outbox: Outbox;
  readonly store: WalletStore;
  /** Name of the object, for logs. Null if the platform does not give it. */
  readonly name: string | null;
}

/** Returns the master keys. @throws ConfigError if the service's secrets are not set. */
export function masterKeysOf({ deps }: WalletParts): MasterKeys {
  return serviceMasterKeys(deps);
}

/** Returns the object of a project. */
export function projectOf({ env }: WalletParts, projectId: string): ProjectObject {
  return env.PROJECT.getByName(projectId);
}
