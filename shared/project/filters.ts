import type { TimeSpan } from "../durable/scan.ts";
import type { Chain } from "../networks.ts";
import type { DeliveryState } from "../webhooks/delivery.ts";

/** Selects wallets, by the time of their creation among others. Null: any. */
export interface WalletFilter extends TimeSpan {
  readonly chain: Chain | null;
  readonly address: string | null;
  /** The names of the only wallets to list: `walletName`. Absent if any name fits. */
  readonly names?: readonly string[];
}

/** Selects deliveries, by the time of their event among others. Null: any. */
export interface DeliveryFilter extends TimeSpan {
  readonly state: DeliveryState | null;
  readonly type: string | null;
}
