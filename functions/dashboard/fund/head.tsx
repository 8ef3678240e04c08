import type { Child } from "hono/jsx";
import type { Fund } from "../answers.ts";
import { networkText } from "../fund-words.ts";
import { runwayText } from "../parts/time-text.ts";
import { pathTo } from "../paths.ts";

const SHORT_DAYS = 14;

const PARTS = [
  { part: null, label: "Money" },
  { part: "sponsorships", label: "Sponsorships" },
  { part: "refusals", label: "Refusals" },
  { part: "ledger", label: "Ledger" },
  { part: "coins", label: "Coins" },
  { part: "manage", label: "Manage" },
] as const;

/** A part of a fund's pages. Null for the first. */
export type FundPart = (typeof PARTS)[number]["part"];

/** Says in a word how a fund stands. */
export function FundTag({ fund }: { readonly fund: Fund }) {
  const { paused, available, runwayDays, low } = fund;
  if (paused) return <span class="tag bad">Paused</span>;
  if (BigInt(available) <= 0n) return <span class="tag bad">Empty</span>;
  const isShort = low || (runwayDays !== null && runwayDays < SHORT_DAYS);
  if (runwayDays === null) return isShort ? <span class="tag warn">Low</span> : <span class="tag ok">Open</span>;
  return <span class={`tag ${isShort ? "warn" : "ok"}`}>{runwayText(runwayDays)}</span>;
}

/** The head of each page of a fund: its name, its state, and the way to its other pages. */
export function FundHead(props: { readonly fund: Fund; readonly part: FundPart; readonly children?: Child }) {
  const { fund, part, children } = props;
  const shown = PARTS.filter(({ part: each }) => each !== "coins" || fund.mode === "coin");
  return (
    <>
      <div class="head">
        <p class="crumbs">
          <a href={pathTo("funds")}>Funds</a>
        </p>
        <h1>
          {fund.name} <small>{networkText(fund.network)}</small>
        </h1>
        <FundTag fund={fund} />
        <div class="acts">{children}</div>
      </div>
      <nav aria-label={`Pages of ${fund.name}`}>
        <ul class="tabs">
          {shown.map(({ part: each, label }) => (
            <li>
              <a
                href={each === null ? pathTo("funds", fund.id) : pathTo("funds", fund.id, each)}
                aria-current={each === part ? "page" : undefined}
              >
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}
