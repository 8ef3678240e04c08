import type { Node, Project, Token } from "../answers.ts";
import { networkText, pauseText } from "../fund-words.ts";
import type { FundDays, ProjectWebhook } from "../gather.ts";
import { emptyOn, relativeText, runwayText } from "../parts/time-text.ts";
import { pathTo } from "../paths.ts";

const LOW_DAYS = 14;
const EMPTY_SOON_DAYS = 4;
const TOKEN_WARNING_MS = 7 * 86_400_000;
/** A token for a week is no alarm on its first day. */
const TOKEN_LIVES_PER_WARNING = 4;
const DAY_CHARACTERS = 10;
/** Fewer refusals in a day are no alarm: an app that is being built makes them. */
const MIN_REFUSED_CALLS = 20;
/** Refusals are an alarm if they are more than one in so many calls of the day. */
const CALLS_PER_REFUSAL = 10;
/** A receiver that restarts misses fewer deliveries than that. */
const MIN_FAILED_DELIVERIES = 3;

/** Something that a person should look at, with the one link that helps. */
export interface Need {
  readonly tone: "bad" | "warn";
  readonly tag: string;
  /** The item's own name after that of its project. Other people may have chosen both. */
  readonly name: string;
  /** Completes a sentence that begins with the name. */
  readonly text: string;
  readonly link: { readonly label: string; readonly path: string };
}

/** Everything in which needs are found. */
export interface Watched {
  readonly days: readonly FundDays[];
  /** The projects of these funds, for their names. */
  readonly projects: readonly Pick<Project, "id" | "name">[];
  readonly nodes: readonly Node[];
  readonly webhooks: readonly ProjectWebhook[];
  readonly tokens: readonly Token[];
  readonly unreadable: readonly string[];
  readonly nowMs: number;
}

function needsOfFund({ fund, spend, refusals }: FundDays, { projects, nowMs }: Watched): readonly Need[] {
  const { id, runwayDays } = fund;
  const name = nameIn(projects, fund.projectId, fund.name);
  const path = pathTo("funds", id);
  const found: Need[] = [];
  const add = (tone: Need["tone"], tag: string, text: string, label: string, part: string | null = null) =>
    found.push({ tone, tag, name, text, link: { label, path: part === null ? path : `${path}/${part}` } });

  const paused = pauseText(fund);
  if (paused !== null) add("bad", "Paused", `sponsors nothing: ${paused}.`, "Open");
  else if (fund.depositAddress === null) add("warn", "No address", "has no deposit address yet.", "Show one");
  else if (BigInt(fund.available) <= 0n) add("bad", "Empty", "has nothing left to sponsor with.", "Deposit");
  else if (runwayDays !== null && runwayDays < LOW_DAYS) {
    const day = emptyOn(runwayDays, nowMs) ?? "soon";
    const tone = runwayDays < EMPTY_SOON_DAYS ? "bad" : "warn";
    add(tone, runwayText(runwayDays), `will be empty on ${day} at this week's rate.`, "Deposit");
  } else if (fund.low) add("warn", "Low", "is below the balance that you asked to be warned of.", "Deposit");
  if (fund.unconverted?.failingSince != null)
    add("warn", "Not usable", `cannot use a part of its balance yet: ${fund.unconverted.cause}.`, "Open");
  if (fund.storage?.high)
    add("warn", "Storage", "has almost filled its storage. At 90 % of the limit it sponsors nothing new.", "Open");
  const unresolvable = (spend?.items ?? []).reduce((sum, day) => sum + day.unresolvable, 0);
  if (unresolvable > 0)
    add(
      "warn",
      String(unresolvable),
      "has sponsorships that no node can find. Compare its records with the chain.",
      "Compare",
      "manage",
    );
  const today = new Date(nowMs).toISOString().slice(0, DAY_CHARACTERS);
  const ended = spend?.items.find((day) => day.name === today)?.sponsored ?? 0;
  const worst = worstRefusal(refusals ?? [], today, ended);
  if (worst !== null)
    add(
      "warn",
      `${worst.calls} refused`,
      `refused ${worst.share} of today's calls, most often for ${worst.reason}.`,
      "See them",
      "refusals",
    );
  return found;
}

function nameIn(projects: Watched["projects"], projectId: string, name: string): string {
  const project = projects.find(({ id }) => id === projectId);
  return project === undefined ? name : `${project.name} · ${name}`;
}

/**
 * Returns how many calls were refused today, their share, and the most frequent reason. Null if they are few, or a small
 * share of the day's calls.
 *
 * @param ended the sponsorships that ended today.
 */
function worstRefusal(counts: FundDays["refusals"] & {}, today: string, ended: number) {
  const ofToday = counts.filter(({ day }) => day === today);
  const calls = ofToday.reduce((sum, count) => sum + count.calls, 0);
  const [worst] = ofToday.toSorted((a, b) => b.calls - a.calls);
  if (worst === undefined || calls < MIN_REFUSED_CALLS || calls * CALLS_PER_REFUSAL <= calls + ended) return null;
  const reason = worst.rule === null ? worst.reason : `${worst.reason} (${worst.rule})`;
  return { calls, share: `${Math.round((calls * 100) / (calls + ended))} %`, reason };
}

function needsOfNodes(nodes: readonly Node[]): readonly Need[] {
  const networks = [...new Set(nodes.filter(({ inUse }) => inUse).map(({ network }) => network))];
  return networks.flatMap((network) => {
    const all = nodes.filter((node) => node.network === network);
    const bad = all.filter(({ state }) => state === "unhealthy");
    const [first] = bad;
    if (first === undefined) return [];
    const text =
      bad.length === all.length ? "has no node that answers well." : `has a node that fails: ${first.endpoint}.`;
    const tone = bad.length === all.length ? "bad" : "warn";
    const tag = `${bad.length} of ${all.length} nodes`;
    return [{ tone, tag, name: networkText(network), text, link: { label: "Nodes", path: pathTo("nodes") } }];
  });
}

function needsOfWebhook({ project, webhook }: ProjectWebhook): readonly Need[] {
  const { enabled, disabledCause, failures, dropped, url } = webhook;
  const link = { label: "Open", path: pathTo("projects", project.id, "webhooks", webhook.id) };
  const name = `${project.name} · ${new URL(url).host}`;
  if (disabledCause === "gone")
    return [
      { tone: "bad", tag: "Webhook off", name, text: "has answered 410 (gone), so nothing is sent to it.", link },
    ];
  if (!enabled) return [];
  if (failures >= MIN_FAILED_DELIVERIES)
    return [{ tone: "warn", tag: "Webhook", name, text: `has not taken the last ${failures} deliveries.`, link }];
  if (dropped > 0)
    return [{ tone: "warn", tag: "Webhook", name, text: `was too slow: ${dropped} events were dropped.`, link }];
  return [];
}

function needsOfToken({ name, createdAt, expiresAt }: Token, nowMs: number): readonly Need[] {
  const leftMs = Date.parse(expiresAt) - nowMs;
  const lifeMs = Date.parse(expiresAt) - Date.parse(createdAt);
  if (leftMs <= 0 || leftMs > Math.min(TOKEN_WARNING_MS, lifeMs / TOKEN_LIVES_PER_WARNING)) return [];
  const text = `is a token that ends ${relativeText(Date.parse(expiresAt), nowMs)}.`;
  return [{ tone: "warn", tag: "Token", name, text, link: { label: "Tokens", path: pathTo("tokens") } }];
}

/** Lists what needs a person now, the gravest first. */
export function needsOf(watched: Watched): readonly Need[] {
  const { days, nodes, webhooks, tokens, unreadable, nowMs } = watched;
  const audit = { label: "Settings", path: pathTo("settings") };
  const silent = unreadable.map(
    (id): Need => ({
      tone: "bad",
      tag: "No answer",
      name: id,
      text: "does not answer. Look for object.unreadable in the log of the service.",
      link: audit,
    }),
  );
  const all = [
    ...silent,
    ...days.flatMap((each) => needsOfFund(each, watched)),
    ...needsOfNodes(nodes),
    ...webhooks.flatMap(needsOfWebhook),
    ...tokens.flatMap((token) => needsOfToken(token, nowMs)),
  ];
  return all.toSorted((a, b) => Number(b.tone === "bad") - Number(a.tone === "bad"));
}
