import { timeText } from "../../../shared/fund/explain/words/readable.ts";
import type { AuditRow, Fund } from "../answers.ts";
import type { Visit } from "../visit.ts";

const FUNDS = "20";
const WITHDRAWALS = "200";
const WITHDRAW = "fund.withdraw";

/** What the service knows of the receiver of a withdrawal. */
export interface Receiver {
  readonly text: string;
  /** False if nothing that the service has shows this address. */
  readonly isKnown: boolean;
}

/** The places in which a receiver is looked for. Null if they did not answer. */
export interface Places {
  readonly allowed: readonly string[] | null;
  readonly funds: readonly Pick<Fund, "name" | "network" | "depositAddress">[] | null;
  /** The rows of withdrawals and of their refusals, the newest first. */
  readonly rows: readonly Pick<AuditRow, "seq" | "at" | "action" | "detail">[] | null;
}

/** Makes two texts of one address equal. */
const full = (address: unknown) => String(address).slice(2).toLowerCase().padStart(64, "0");

function field(detail: unknown, name: string): unknown {
  return typeof detail === "object" && detail !== null ? Reflect.get(detail, name) : undefined;
}

/** Says what the places show of an address. A withdrawal that was refused shows nothing. */
export function receiverOf(to: string, network: string, { allowed, funds, rows }: Places): Receiver {
  const isTo = (address: unknown) => full(address) === full(to);
  const own = funds?.find((fund) => fund.network === network && isTo(fund.depositAddress));
  if (own !== undefined) return { isKnown: true, text: `It is the address of the fund “${own.name}”.` };
  const requestOf = ({ detail }: { readonly detail: unknown }) => field(detail, "request");
  const paid = rows?.find(
    (row) =>
      row.action === WITHDRAW &&
      isTo(field(row.detail, "to")) &&
      !rows.some((other) => other.action !== WITHDRAW && other.seq > row.seq && requestOf(other) === requestOf(row)),
  );
  if (paid !== undefined) return { isKnown: true, text: `The last withdrawal to it was on ${timeText(paid.at)}.` };
  if (allowed?.some(isTo)) return { isKnown: true, text: "WITHDRAW_ADDRESSES names it. No withdrawal to it is known." };
  const isWhole = funds !== null && rows !== null;
  return {
    isKnown: false,
    text: isWhole
      ? "It is new: no withdrawal to it is known, and no fund of the project has it."
      : "It could not be compared with earlier withdrawals.",
  };
}

/** Looks for the receiver of a withdrawal among the project's newest withdrawals and its funds. */
export async function findReceiver(visit: Visit, fund: Fund, to: string): Promise<Receiver> {
  const id = fund.projectId;
  const rowsOf = (action: string) =>
    visit.call("GET /projects/:id/audit", { id, query: { limit: WITHDRAWALS, action } });
  const [funds, begun, refused] = await Promise.all([
    visit.call("GET /projects/:id/funds", { id, query: { limit: FUNDS } }),
    rowsOf(WITHDRAW),
    rowsOf(`${WITHDRAW}.refused`),
  ]);
  return receiverOf(to, fund.network, {
    allowed: visit.ground.config.withdrawAddresses,
    funds: funds.ok ? funds.value.items : null,
    rows: begun.ok && refused.ok ? [...begun.value.items, ...refused.value.items] : null,
  });
}
