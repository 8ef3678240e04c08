import type { Child } from "hono/jsx";
import { chainOf } from "../../../shared/network-names.ts";
import type { Fund } from "../answers.ts";
import { networkText } from "../fund-words.ts";
import { Amount } from "../parts/amount.tsx";
import { runwayText } from "../parts/time-text.ts";
import { pathTo } from "../paths.ts";

const SHORT_DAYS = 14;

const PARTS = [
  { part: null, label: "Money" },
  { part: "sponsorships", label: "Sponsorships" },
  { part: "refusals", label: "Refusals" },
  { part: "ledger", label: "Ledger" },
  { part: "coins", label: "Coins" },
  { part: "unusable", label: "Not usable" },
  { part: "manage", label: "Manage" },
] as const;

/** A part of a fund's pages. Null for the first. */
export type FundPart = (typeof PARTS)[number]["part"];

/** Describes the state of a fund in a word. */
export function FundTag({ fund }: { readonly fund: Fund }) {
  const { paused, available, runwayDays, low } = fund;
  if (paused) return <span class="tag bad">Paused</span>;
  if (BigInt(available) <= 0n) return <span class="tag bad">Empty</span>;
  const isShort = low || (runwayDays !== null && runwayDays < SHORT_DAYS);
  if (runwayDays === null) return isShort ? <span class="tag warn">Low</span> : <span class="tag ok">Open</span>;
  return <span class={`tag ${isShort ? "warn" : "ok"}`}>{runwayText(runwayDays)}</span>;
}

/** Returns the parts that a fund has. Only a Sui fund has coins, and an address to which anybody can send objects. */
function partsOf({ mode, network }: Fund) {
  const absent: readonly FundPart[] = [
    ...(mode === "coin" ? [] : (["coins"] as const)),
    ...(chainOf(network) === "sui" ? [] : (["unusable"] as const)),
  ];
  return PARTS.filter(({ part }) => !absent.includes(part));
}

/** The head of each page of a fund: its name, its money, its state, and links to its other pages. */
export function FundHead(props: { readonly fund: Fund; readonly part: FundPart; readonly children?: Child }) {
  const { fund, part, children } = props;
  return (
    <>
      <div class="head">
        <p class="crumbs">
          <a href={pathTo("funds")}>Funds</a>
        </p>
        <h1>
          {fund.name} <small>{networkText(fund.network)}</small>
        </h1>
        <p class="row">
          <FundTag fund={fund} />
          {part === null ? null : (
            <span>
              <Amount chain={chainOf(fund.network)} atoms={fund.available} /> <span class="dim">available</span>
            </span>
          )}
        </p>
        <div class="acts">{children}</div>
      </div>
      <nav aria-label={`Pages of ${fund.name}`}>
        <ul class="tabs">
          {partsOf(fund).map(({ part: each, label }) => (
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
