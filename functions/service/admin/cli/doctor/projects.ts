import * as z from "zod";
import { policyViewSchema } from "../../../../../shared/policy/policy-schema.ts";
import { wholeList } from "../commands/whole-list.ts";
import type { Connected } from "../session.ts";
import type { Item } from "../show/list.ts";
import { type Check, counted, type Finding, findingsOf, orOk } from "./finding.ts";

const RUNWAY_WARN_DAYS = 7;
const RUNWAY_FAIL_DAYS = 2;

// A newer service may have more limits.
const policySchema = z.looseObject(policyViewSchema.shape);
const fundSchema = z.object({
  id: z.string(),
  name: z.string(),
  low: z.boolean(),
  lowBalance: z.string().nullable(),
  runwayDays: z.number().nullable(),
  pausedCause: z.string().nullable(),
  unconverted: z.object({ cause: z.string(), failingSince: z.string().nullable() }).nullable(),
  recovery: z.object({ state: z.string() }).nullable(),
  storage: z.object({ high: z.boolean() }).nullable(),
  policy: policySchema,
});
type Fund = z.output<typeof fundSchema>;
const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  network: z.string(),
  status: z.string(),
  rights: z.array(z.string()),
  fundId: z.string().nullable(),
  policy: policySchema,
});
type Key = z.output<typeof keySchema>;
const webhookSchema = z.object({
  id: z.string(),
  url: z.string(),
  enabled: z.boolean(),
  disabledCause: z.string().nullable(),
  failures: z.int(),
  dropped: z.int(),
});
type Webhook = z.output<typeof webhookSchema>;

/** Returns the faults of a fund's money and state. */
function fundFindings({
  id,
  name,
  low,
  lowBalance,
  runwayDays,
  pausedCause,
  unconverted,
  recovery,
  storage,
}: Fund): readonly Finding[] {
  const found = findingsOf("fund");
  const fund = `“${name}” (${id})`;
  const paused =
    pausedCause === "operator" || pausedCause === "recovering"
      ? found.warn(`${fund} is paused: ${pausedCause}`, `gasworks fund show ${id}`)
      : found.fail(`${fund} is paused: ${pausedCause}`, `gasworks fund show ${id}`);
  const isShort = runwayDays !== null && runwayDays < RUNWAY_WARN_DAYS;
  const runway = `${fund} is empty in ${counted(runwayDays ?? 0, "day")} at the last week's rate`;
  return [
    ...(pausedCause === null ? [] : [paused]),
    ...(recovery?.state === "needed" ? [found.fail(`${fund} needs a recovery`, `gasworks fund recover ${id}`)] : []),
    ...(low ? [found.warn(`${fund} is below its lowBalance`, "deposit to its depositAddress")] : []),
    ...(lowBalance === null
      ? [
          found.warn(
            `${fund} has no lowBalance set`,
            `gasworks fund update ${id} --low-balance …, so that fund.low_balance warns`,
          ),
        ]
      : []),
    ...(isShort
      ? [runwayDays < RUNWAY_FAIL_DAYS ? found.fail(runway, "deposit now") : found.warn(runway, "deposit soon")]
      : []),
    ...(unconverted !== null && unconverted.failingSince !== null
      ? [found.warn(`${fund} cannot convert a deposit: ${unconverted.cause}`, `gasworks fund show ${id}`)]
      : []),
    ...(storage?.high === true
      ? [found.warn(`the storage of ${fund} is nearly full`, `gasworks fund update ${id} --limits-fund-bytes …`)]
      : []),
  ];
}

/** Returns the holes of a fund's policy. */
function fundHoles({ id, name, policy }: Fund): readonly Finding[] {
  const found = findingsOf("policy");
  const fund = `“${name}” (${id})`;
  return [
    ...(policy.maxSpendPerDay === null
      ? [
          found.warn(
            `fund ${fund} may spend all of its money in a day`,
            `gasworks fund update ${id} --policy-max-spend-per-day …`,
          ),
        ]
      : []),
    ...(policy.maxGasBudget === null
      ? [
          found.warn(
            `fund ${fund} takes a gas budget of any size`,
            `gasworks fund update ${id} --policy-max-gas-budget …`,
          ),
        ]
      : []),
  ];
}

const hasEntries = (list: readonly string[] | null) => list !== null && list.length > 0;

/** Returns the holes of a key's policy, over that of its fund. */
function keyHoles({ id, name, network, policy }: Key, fund: Fund | undefined): readonly Finding[] {
  const found = findingsOf("policy");
  const key = `key “${name}” (${id})`;
  const policies = [policy, ...(fund === undefined ? [] : [fund.policy])];
  const isOpen =
    !policies.some(({ moveTargets, senders }) => hasEntries(moveTargets.allow) || hasEntries(senders.allow)) &&
    policies.every(({ maxSpendPerSenderPerDay }) => maxSpendPerSenderPerDay === null);
  return [
    ...(isOpen
      ? [
          found.warn(
            `${key} sponsors any call of any sender, and one sender may spend the whole day's limit`,
            `gasworks key update ${id} --policy-move-targets-allow … or --policy-max-spend-per-sender-per-day …`,
          ),
        ]
      : []),
    ...(policy.maxInFlightCount === null && policy.maxInFlightAmount === null
      ? [
          found.warn(
            `${key} may hold the whole fund in flight`,
            `gasworks key update ${id} --policy-max-in-flight-amount …`,
          ),
        ]
      : []),
    ...(policy.maxAbandonCostPerDay === null && network.startsWith("SUI_")
      ? [
          found.warn(
            `${key} may abandon sponsorships without a limit`,
            `gasworks key update ${id} --policy-max-abandon-cost-per-day …`,
          ),
        ]
      : []),
  ];
}

function webhookFindings({ id, url, enabled, disabledCause, failures, dropped }: Webhook): readonly Finding[] {
  const found = findingsOf("webhook");
  if (!enabled)
    return disabledCause === "gone"
      ? [
          found.warn(
            `${id} to ${url} is disabled: its receiver answered 410`,
            `gasworks webhook delete ${id}, or update its --url`,
          ),
        ]
      : [];
  return [
    ...(failures > 0
      ? [found.warn(`${id} to ${url} has failed ${failures} times in a row`, `gasworks webhook deliveries ${id}`)]
      : []),
    ...(dropped > 0 ? [found.warn(`${id} to ${url} has dropped ${dropped} events`, "make its receiver faster")] : []),
  ];
}

/** The items of a project that could be read. */
interface Things {
  readonly unreadable: readonly Item[];
  readonly funds: readonly Fund[];
  /** The active keys that may sponsor. */
  readonly keys: readonly Key[];
  readonly webhooks: readonly Webhook[];
}

async function thingsOf(connected: Connected, projectId: string): Promise<Things> {
  const list = (name: string) => wholeList(connected, { method: "GET", path: `/projects/${projectId}/${name}` });
  const isRead = ({ unreadable }: Item) => unreadable === undefined;
  const [funds, keys, webhooks] = [await list("funds"), await list("keys"), await list("webhooks")];
  const readKeys = z.array(keySchema).parse(keys.filter(isRead));
  return {
    unreadable: [...funds, ...keys].filter((item) => !isRead(item)),
    funds: z.array(fundSchema).parse(funds.filter(isRead)),
    keys: readKeys.filter(({ status, rights }) => status === "active" && rights.includes("gas")),
    webhooks: z.array(webhookSchema).parse(webhooks),
  };
}

const projectSchema = z.object({ id: z.string() });

/** Checks the funds, the policies and the webhooks of every project. */
export const checkProjects: Check = async (connected) => {
  const projects = z.array(projectSchema).parse(await wholeList(connected, { method: "GET", path: "/projects" }));
  const all: Things[] = [];
  for (const { id } of projects) all.push(await thingsOf(connected, id));
  const [funds, keys] = [all.flatMap((things) => things.funds), all.flatMap((things) => things.keys)];
  const webhooks = all.flatMap((things) => things.webhooks);
  const found = findingsOf("objects");
  const fundOf = ({ fundId }: Key) => funds.find(({ id }) => id === fundId);
  const enabled = webhooks.filter((webhook) => webhook.enabled);
  return [
    findingsOf("projects").ok(`${counted(projects.length, "project")} looked at`),
    ...all
      .flatMap(({ unreadable }) => unreadable)
      .map(({ id }) => found.fail(`${String(id)} cannot be read`, "search the log for object.unreadable")),
    ...orOk(
      funds.flatMap(fundFindings),
      findingsOf("funds").ok(`${counted(funds.length, "fund")}: none is paused, low or short of money`),
    ),
    ...orOk(
      [...funds.flatMap(fundHoles), ...keys.flatMap((key) => keyHoles(key, fundOf(key)))],
      findingsOf("policies").ok(`${counted(keys.length, "active key")} of gas, and no limit is missing`),
    ),
    ...orOk(
      webhooks.flatMap(webhookFindings),
      findingsOf("webhooks").ok(
        `${counted(webhooks.length, "webhook")}, ${enabled.length} of them enabled, and none is failing`,
      ),
    ),
  ];
};
