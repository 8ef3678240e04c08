import type { Right } from "../api/contract.ts";
import type { Network } from "../networks.ts";
import type { FundPolicy } from "../policy/fund-policy.ts";

/** The caller, from the access key's record. Routing reads the network here, never from the key's prefix. */
export interface Caller {
  readonly keyId: string;
  readonly projectId: string;
  readonly network: Network;
  readonly rights: readonly Right[];
  /** The one fund that this key sponsors from. Null for keys without the gas right. */
  readonly fundId: string | null;
  /** Limits the fund's payments for this key, beside the fund's own policy. It means nothing without a fund. */
  readonly policy: FundPolicy;
  /** The project's sessions from before this epoch are dead. */
  readonly sessionEpoch: number;
}
