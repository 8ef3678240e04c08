import { expect, test } from "vitest";
import { migrations as AccessKey } from "../../shared/access/schema.ts";
import { migrations as Directory } from "../../shared/directory/schema.ts";
import { SCHEMA_VERSIONS } from "../../shared/directory/schema-versions.ts";
import { migrations as FundArchive } from "../../shared/fund/archive/schema.ts";
import { migrations as Fund } from "../../shared/fund/migrations.ts";
import { migrations as Project } from "../../shared/project/schema.ts";
import { migrations as Wallet } from "../../shared/wallet/schema.ts";
import { migrations as WebhookInbox } from "../../shared/webhooks/inbox/schema.ts";
import { migrations as WorkflowUser } from "../../shared/workflow/user/schema.ts";

const objects = { AccessKey, Directory, Fund, FundArchive, Project, Wallet, WebhookInbox, WorkflowUser };

test.each(Object.entries(objects))("health compares %s with the number of its migrations", (name, migrations) => {
  expect(SCHEMA_VERSIONS[name]).toBe(migrations.length);
});

test("health compares no other class", () => {
  expect(Object.keys(SCHEMA_VERSIONS)).toEqual(Object.keys(objects));
});
