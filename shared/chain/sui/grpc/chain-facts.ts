import { done, type Outcome } from "../../../errors.ts";
import { InvalidReplyError, isNotOf } from "../../failover.ts";
import { lags } from "../../lag.ts";
import { ledgerStateOf, namesChain } from "../ledger-state.ts";
import type { FactsReading } from "../node.ts";
import type { EndpointCall, GrpcConnection } from "./connection.ts";
import { readFacts } from "./replies.ts";

const EPOCH_MASK = [
  "epoch",
  "reference_gas_price",
  "start",
  "system_state.epoch_start_timestamp_ms",
  "system_state.parameters.epoch_duration_ms",
];

/** Reads `SuiNode.chainFacts`. */
export async function chainFacts(
  connection: GrpcConnection,
  atLeastEpoch: bigint,
  besides?: string,
): Promise<Outcome<FactsReading>> {
  const ofOtherChain: FactsReading[] = [];
  const lagging: FactsReading[] = [];
  const ask = async (call: EndpointCall): Promise<FactsReading> => {
    const facts = await factsAt(call, () => connection.nowMs());
    if (!connection.guard.isOurs(call.url, facts.chain)) {
      ofOtherChain.push(facts);
      throw new InvalidReplyError(`the endpoint is of another chain: ${facts.chain}`);
    }
    if (facts.epoch < atLeastEpoch) throw new InvalidReplyError(`the node lags: it is in epoch ${facts.epoch}`);
    if (lags(facts.timestampMs, connection.nowMs())) {
      lagging.push(facts);
      throw new InvalidReplyError(
        `the node lags: its newest checkpoint is of ${new Date(facts.timestampMs).toISOString()}`,
      );
    }
    return facts;
  };
  const answer = await connection.read("chainFacts", ask, { isAsked: isNotOf(besides) });
  if (answer.ok) return answer;
  // If every endpoint seems to lag, our clock may be ahead.
  const [newest] = lagging.toSorted((one, other) => other.timestampMs - one.timestampMs);
  if (newest !== undefined) return done(newest);
  const [other] = ofOtherChain;
  return other !== undefined && ofOtherChain.length === connection.urls.length ? done(other) : answer;
}

/** Calls one endpoint. @throws InvalidReplyError if its replies come from two chains. */
async function factsAt(
  { client: { ledgerService }, url, abort }: EndpointCall,
  nowMs: () => number,
): Promise<FactsReading> {
  const call = ledgerService.getEpoch({ readMask: { paths: EPOCH_MASK } }, { abort });
  const [info, headers, epoch] = await Promise.all([
    ledgerService.getServiceInfo({}, { abort }).response,
    call.headers,
    call.response,
  ]);
  const facts = readFacts(ledgerStateOf(info, url), epoch, nowMs());
  const ofEpoch = headers.get("x-sui-chain-id");
  if (typeof ofEpoch === "string" && !namesChain(ofEpoch, facts.chain))
    throw new InvalidReplyError("the endpoint answers for more than one chain");
  return facts;
}
