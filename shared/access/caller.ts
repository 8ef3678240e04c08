import type { Right } from "../api/contract.ts";
import type { Network } from "../networks.ts";
import type { FundPolicy } from "../policy/fund-policy.ts";

/** Who is calling, as the access key's record says. Routing reads the network from here, never from the key's prefix. */
export interface Caller {
  readonly keyId: string;
  readonly projectId: string;
  readonly network: Network;
  readonly rights: readonly Right[];
  /** The one fund that this key sponsors from; null for keys without the gas right. */
  readonly fundId: string | null;
  /** What this key may make the fund pay for, beside the fund's own policy. Means nothing without a fund. */
  readonly policy: FundPolicy;
  /** Sessions of the project from before this epoch are dead. */
  readonly sessionEpoch: number;
}
