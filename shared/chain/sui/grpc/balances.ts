import type { Outcome } from "../../../errors.ts";
import { batchesOf } from "../../../paging.ts";
import { withTimeLimit } from "../../../timing.ts";
import { InvalidReplyError, isNotOf, READ_TIMEOUT_MS } from "../../failover.ts";
import { withValue } from "../../seen.ts";
import { type BalanceReading, type LookUpDetail, NODE_BATCH_LIMIT, type SuiFound } from "../node.ts";
import type { EndpointCall, GrpcConnection } from "./connection.ts";
import { lookUpAt } from "./look-up.ts";
import { readBalance } from "./replies.ts";

const SUI_TYPE = "0x2::sui::SUI";

/** Digests to look up at the endpoint of a balance, in the order of the answers. */
type LookUps = readonly (readonly [digests: readonly string[], detail: LookUpDetail])[];

/** Reads `SuiNode.balances`. */
export function balances(
  connection: GrpcConnection,
  owner: string,
  lookUps: LookUps,
  besides?: string,
): Promise<Outcome<BalanceReading>> {
  const ask = async (call: EndpointCall): Promise<BalanceReading> => {
    const { client, abort } = call;
    const request = { owner, coinType: SUI_TYPE };
    const reading = await connection.seen(call, () => client.stateService.getBalance(request, { abort }));
    const findings: SuiFound[] = [];
    for (const [digests, detail] of lookUps)
      for (const batch of batchesOf(digests, NODE_BATCH_LIMIT))
        findings.push(...(await lookUpSince(connection, call, reading.newestCheckpoint, batch, detail)));
    return withValue(reading, ({ balance }) => ({ ...readBalance(balance), findings }));
  };
  return connection.read("balances", ask, { isAsked: isNotOf(besides) });
}

/** Looks a batch up within a time of its own. @throws InvalidReplyError if the endpoint is behind the checkpoint. */
function lookUpSince(
  connection: GrpcConnection,
  { client, url }: EndpointCall,
  checkpoint: bigint,
  digests: readonly string[],
  detail: LookUpDetail,
): Promise<readonly SuiFound[]> {
  return withTimeLimit(READ_TIMEOUT_MS, async (abort) => {
    const call = { client, url, abort };
    const state = await connection.ledgerState(call);
    if (state.checkpoint < checkpoint)
      throw new InvalidReplyError("the look-up stands behind the balance that it is compared with");
    const found = await lookUpAt(connection, call, state, digests, detail);
    return found.value;
  });
}
