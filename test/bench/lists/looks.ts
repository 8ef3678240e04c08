import type { AgingFund } from "../years-fund.ts";

const MOST = 200;
const DAY_MS = 86_400_000;

/** A look of an operator at a fund: one call of the admin API. */
export interface Look {
  readonly name: string;
  /** The path and the query. */
  readonly path: string;
  /** What each answer contains. */
  readonly expected: string;
  /** The header `Accept`. Absent for JSON. */
  readonly accept?: string;
  /** The rows of a whole list, which is read page by page. Absent if one call of the fund's object answers. */
  readonly rows?: number;
}

/** A sender of abandoned sponsorships. */
const SENDER = `0x${"1".padStart(64, "0")}`;
const KEY_ID = `key_${"1".padStart(20, "0")}`;
/** No row has this one. */
const NOBODY = `0x${"f".repeat(64)}`;
const UNKNOWN = "1".repeat(44);

/** Returns every list, sum and metric of a fund, and each way to look a transaction up. */
export function looksAt(fund: AgingFund, monthEndMs: number): readonly Look[] {
  const { fundId, digests } = fund;
  const path = `/admin/v1/funds/${fundId}`;
  const dayAt = (daysBefore: number) => new Date(monthEndMs - daysBefore * DAY_MS).toISOString().slice(0, 10);
  const list = (name: string, query: string, of = "sponsorships"): Look => ({
    name: `${of}${name}`,
    path: `${path}/${of}?limit=${MOST}${query}`,
    expected: '"items"',
  });
  const spend = (by: string): Look => ({
    name: `spend by ${by}`,
    path: `${path}/spend?by=${by}&from=${dayAt(29)}&to=${dayAt(0)}&limit=${MOST}`,
    expected: '"items"',
  });
  const whole = (of: string, rows: number): Look => ({
    name: `${of}, the whole month as CSV`,
    path: `${path}/${of}`,
    expected: '"',
    accept: "text/csv",
    rows,
  });
  const story = (name: string, query: string): Look => ({
    name: `transaction by ${name}`,
    path: `/admin/v1/transactions${query}`,
    expected: '"cause"',
  });
  const [first = "", middle = ""] = [digests[0], digests[Math.floor(digests.length / 2)]];
  const executed = [...fund.executed];
  const span = `&from=${dayAt(15)}T00:00:00Z&to=${dayAt(13)}T00:00:00Z`;
  return [
    { name: "fund", path, expected: fundId },
    list("", ""),
    list(", the middle", `&cursor=${Math.floor(digests.length / 2)}`),
    list(" of a sender", `&sender=${SENDER}`),
    list(" of nobody", `&sender=${NOBODY}`),
    list(" of a key", `&keyId=${KEY_ID}`),
    list(" executed", "&outcome=executed"),
    list(" unresolvable", "&outcome=unresolvable"),
    list(" of two days", `&from=${dayAt(15)}&to=${dayAt(14)}`),
    whole("sponsorships", digests.length),
    list("", "", "ledger"),
    list(" withdrawals", "&kind=withdraw", "ledger"),
    list(" of a digest", `&reference=${first}`, "ledger"),
    list(" of a key", `&keyId=${KEY_ID}`, "ledger"),
    whole("ledger", 2 * digests.length),
    list("", "", "coins"),
    list(" quarantined", "&state=quarantined", "coins"),
    list("", "", "refusals"),
    list(" of nobody", `&sender=${NOBODY}`, "refusals"),
    list("", "", "refusal-counts"),
    ...["day", "key", "sender", "target"].map(spend),
    story("digest, abandoned", `/${middle}`),
    story("digest, executed", `/${executed[Math.floor(executed.length / 2)] ?? first}`),
    story("unknown digest", `/${UNKNOWN}`),
    story("request id", "?requestId=bench-0"),
    story("sender", `?sender=${SENDER}${span}`),
    { name: "metrics", path: `/health?do=metrics&fund=${fundId}`, expected: "true" },
  ];
}
