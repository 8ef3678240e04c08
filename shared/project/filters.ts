import type { TimeSpan } from "../durable/scan.ts";
import type { Chain } from "../networks.ts";
import type { DeliveryState } from "../webhooks/delivery.ts";

/** Selects wallets, for example by the time of their creation. Null matches any value. */
export interface WalletFilter extends TimeSpan {
  readonly chain: Chain | null;
  readonly address: string | null;
  /** The names of the only wallets to list: `walletName`. Absent if any name fits. */
  readonly names?: readonly string[];
}

/** Selects deliveries, for example by the time of their event. Null matches any value. */
export interface DeliveryFilter extends TimeSpan {
  readonly state: DeliveryState | null;
  readonly type: string | null;
}
