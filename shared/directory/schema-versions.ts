import type { migrations as accessKey } from "../access/schema.ts";
import type { migrations as fundArchive } from "../fund/archive/schema.ts";
import type { migrations as fund } from "../fund/migrations.ts";
import type { migrations as project } from "../project/schema.ts";
import type { migrations as wallet } from "../wallet/schema.ts";
import type { migrations as webhookInbox } from "../webhooks/inbox/schema.ts";
import type { migrations as workflowUser } from "../workflow/user/schema.ts";
import type { NewerSchema } from "./newer-state.ts";
import type { migrations as directory } from "./schema.ts";

type Length<List extends readonly string[]> = List["length"];

/**
 * The newest schema version of each class of objects that this build knows: one for each of its migrations. The type
 * refuses another number, and loads no migration.
 */
export const SCHEMA_VERSIONS: Readonly<Record<string, number>> = {
  AccessKey: 8,
  Directory: 5,
  Fund: 12,
  FundArchive: 1,
  Project: 9,
  Wallet: 4,
  WebhookInbox: 1,
  WorkflowUser: 3,
} satisfies {
  AccessKey: Length<typeof accessKey>;
  Directory: Length<typeof directory>;
  Fund: Length<typeof fund>;
  FundArchive: Length<typeof fundArchive>;
  Project: Length<typeof project>;
  Wallet: Length<typeof wallet>;
  WebhookInbox: Length<typeof webhookInbox>;
  WorkflowUser: Length<typeof workflowUser>;
};

/** Returns the text for operators. @param newer empty if it is only known that an object has refused. */
export function newerBuildText(newer: readonly NewerSchema[]): string {
  const named = newer.map(({ object, version }) => {
    const known = SCHEMA_VERSIONS[object];
    return `${object} at schema ${version}, this build knows ${known ?? "no such objects"}`;
  });
  const which = named.length === 0 ? "" : ` (${named.join("; ")})`;
  return `a newer build has run with this state${which}: this one refuses what that one has opened. Deploy that build again, or a newer one`;
}
