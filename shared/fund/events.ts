import type { StorageUse } from "../durable/storage-budget.ts";
import type { Network } from "../networks.ts";
import type { RaisedEvent } from "../observe/events.ts";
import type { SponsorshipView } from "./views.ts";

type Sponsored = Pick<SponsorshipView, "digest" | "keyId" | "sender">;

/** An event of a fund's transitions, with amounts in atoms. */
export type FundEvent =
  | {
      readonly type: "fund.low_balance" | "fund.balance_recovered";
      readonly availableAtoms: bigint;
      readonly lowBalanceAtoms: bigint | null;
    }
  | ({ readonly type: "fund.storage_high" | "fund.storage_recovered" } & StorageUse)
  | { readonly type: "fund.paused"; readonly cause: string }
  | { readonly type: "fund.unresolvable"; readonly digest: string }
  | { readonly type: "fund.conversion_refused"; readonly unconvertedAtoms: bigint; readonly cause: string }
  | { readonly type: "fund.deposit"; readonly amountAtoms: bigint; readonly balanceAtoms: bigint }
  | (Sponsored & {
      readonly type: "sponsorship.completed";
      readonly chargedAtoms: bigint;
      readonly feeAtoms: bigint;
    })
  | (Sponsored & { readonly type: "sponsorship.expired"; readonly expiresAtMs: number });

/** Raises an event. The event is written in the commit of its cause, or not at all. */
export type Raise = (event: FundEvent) => void;

/** Converts a fund's event to the form that the project's webhooks carry. */
export function raisedEvent(
  event: FundEvent,
  fund: { readonly fundId: string; readonly network: Network },
): RaisedEvent {
  switch (event.type) {
    case "fund.low_balance":
    case "fund.balance_recovered": {
      const { type, availableAtoms, lowBalanceAtoms } = event;
      const available = availableAtoms.toString();
      return type === "fund.low_balance"
        ? { type, data: { ...fund, available, lowBalance: (lowBalanceAtoms ?? 0n).toString() } }
        : { type, data: { ...fund, available, lowBalance: lowBalanceAtoms?.toString() ?? null } };
    }
    case "fund.storage_high":
    case "fund.storage_recovered": {
      const { type, usedBytes, budgetBytes } = event;
      return { type, data: { ...fund, usedBytes, budgetBytes } };
    }
    case "fund.paused":
      return { type: event.type, data: { ...fund, cause: event.cause } };
    case "fund.unresolvable":
      return { type: event.type, data: { ...fund, digest: event.digest } };
    case "fund.conversion_refused": {
      const { type, unconvertedAtoms, cause } = event;
      return { type, data: { ...fund, unconverted: unconvertedAtoms.toString(), cause } };
    }
    case "fund.deposit": {
      const { type, amountAtoms, balanceAtoms } = event;
      return { type, data: { ...fund, amount: amountAtoms.toString(), balance: balanceAtoms.toString() } };
    }
    case "sponsorship.completed": {
      const { type, digest, keyId, sender, chargedAtoms, feeAtoms } = event;
      const amounts = { charged: chargedAtoms.toString(), fee: feeAtoms.toString() };
      return { type, data: { ...fund, keyId, digest, sender, ...amounts } };
    }
    case "sponsorship.expired": {
      const { type, digest, keyId, sender, expiresAtMs } = event;
      return { type, data: { ...fund, keyId, digest, sender, expiresAt: new Date(expiresAtMs).toISOString() } };
    }
  }
}
