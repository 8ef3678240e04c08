import * as z from "zod";
import { policyViewSchema } from "../../../../../shared/policy/policy-schema.ts";
import { wholeList } from "../commands/whole-list.ts";
import type { Connected } from "../session.ts";
import { type Check, type Finding, findingsOf, orOk } from "./finding.ts";

const RUNWAY_WARN_DAYS = 7;
const RUNWAY_FAIL_DAYS = 2;

// A newer service may have more limits.
const policySchema = z.looseObject(policyViewSchema.shape);
const fundSchema = z.object({
  id: z.string(),
  name: z.string(),
  low: z.boolean(),
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

/** Returns what is wrong with a fund's money and state. */
function fundFindings({
  id,
  name,
  low,
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
  const runway = `${fund} is empty in ${runwayDays} days at the last week's rate`;
  return [
    ...(pausedCause === null ? [] : [paused]),
    ...(recovery?.state === "needed" ? [found.fail(`${fund} needs a recovery`, `gasworks fund recover ${id}`)] : []),
    ...(low ? [found.warn(`${fund} is below its lowBalance`, "deposit to its depositAddress")] : []),
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

function webhookFindings({
  id,
  url,
  enabled,
  disabledCause,
  failures,
  dropped,
}: z.output<typeof webhookSchema>): readonly Finding[] {
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

async function projectFindings(connected: Connected, projectId: string): Promise<readonly Finding[]> {
  const list = (name: string) => wholeList(connected, { method: "GET", path: `/projects/${projectId}/${name}` });
  const isRead = ({ unreadable }: Readonly<Record<string, unknown>>) => unreadable === undefined;
  const [funds, keys, webhooks] = [await list("funds"), await list("keys"), await list("webhooks")];
  const unreadable = [...funds, ...keys].filter((item) => !isRead(item));
  const readFunds = z.array(fundSchema).parse(funds.filter(isRead));
  const readKeys = z.array(keySchema).parse(keys.filter(isRead));
  const active = readKeys.filter(({ status, rights }) => status === "active" && rights.includes("gas"));
  const found = findingsOf("objects");
  return [
    ...unreadable.map(({ id }) => found.fail(`${String(id)} cannot be read`, "search the log for object.unreadable")),
    ...readFunds.flatMap(fundFindings),
    ...readFunds.flatMap(fundHoles),
    ...active.flatMap((key) =>
      keyHoles(
        key,
        readFunds.find(({ id }) => id === key.fundId),
      ),
    ),
    ...z.array(webhookSchema).parse(webhooks).flatMap(webhookFindings),
  ];
}

const projectSchema = z.object({ id: z.string() });

/** Checks the funds, the policies and the webhooks of every project. */
export const checkProjects: Check = async (connected) => {
  const projects = z.array(projectSchema).parse(await wholeList(connected, { method: "GET", path: "/projects" }));
  const findings: Finding[] = [];
  for (const { id } of projects) findings.push(...(await projectFindings(connected, id)));
  return orOk(
    findings,
    findingsOf("projects").ok(`${projects.length} projects: funds, policies and webhooks are in order`),
  );
};
