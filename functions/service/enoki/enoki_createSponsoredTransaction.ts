import { enokiCreateSponsoredTransaction } from "../../../shared/api/enoki.ts";
import { isMissingMethod } from "../../../shared/durable/missing-method.ts";
import { done } from "../../../shared/errors.ts";
import { refuseOverloaded } from "../../../shared/http/overload.ts";
import { fundHandler } from "../../../shared/rpc/handler.ts";
import { callFund } from "../calls/fund.ts";
import { sponsorInput } from "../calls/sui-fund.ts";

const NETWORKS = {
  mainnet: "SUI_MAINNET",
  testnet: "SUI_TESTNET",
  devnet: "SUI_DEVNET",
  localnet: "SUI_LOCALNET",
} as const;

/** Reserves gas for a transaction kind within the lists of the call, without a signature. */
export const enoki_createSponsoredTransaction = fundHandler(
  enokiCreateSponsoredTransaction,
  async ({ transactionBlockKindBytes: transactionBytes, sender, network, ...lists }, context) => {
    const { allowedAddresses = null, allowedMoveCallTargets = null } = lists;
    const bounds = { network: NETWORKS[network], allowedAddresses, allowedMoveCallTargets };
    const input = { ...sponsorInput({ transactionBytes, sender }, context), bounds };
    try {
      const prepared = await callFund(context, "prepareBounded", input);
      return prepared.ok ? done({ bytes: prepared.value.txBytes, digest: prepared.value.digest }) : prepared;
    } catch (error) {
      // A fund of an earlier build would ignore the bounds. It is replaced within seconds.
      if (isMissingMethod(error, "prepareBounded")) return refuseOverloaded();
      throw error;
    }
  },
);
