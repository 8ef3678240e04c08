import * as z from "zod";
import type { Fetch } from "../bindings/ports.ts";
import { isAptosNetwork, isSuiNetwork, type Network, type SuiNetwork } from "../networks.ts";
import { ask } from "./aptos/rest/request.ts";
import { faultText, InvalidReplyError } from "./failover.ts";
import { matchesNetwork } from "./sui/chain-id.ts";
import { boundedFetch } from "./sui/grpc/bounded-fetch.ts";
import { suiServices } from "./sui/grpc/services.ts";
import { ledgerStateOf } from "./sui/ledger-state.ts";

const MAX_SOFTWARE_CHARACTERS = 100;
const MAX_FAULT_CHARACTERS = 200;

/** One endpoint's view of its chain and of itself. */
export interface ProbedLedger {
  /** The newest checkpoint on Sui, the newest version on Aptos. */
  readonly height: bigint;
  /** Time of the newest block, by the chain's clock, Unix milliseconds. */
  readonly ledgerAtMs: number;
  /** The protocol version of a Sui chain. Null on Aptos, whose nodes show none. */
  readonly protocolVersion: string | null;
  /** The build of the node in its own text, at most 100 printable characters. Null if it names none. */
  readonly software: string | null;
}

const aptosInfo = z.object({ git_hash: z.string().nullish() });

/** Returns the printable part of a node's text, bounded. Null if nothing is left. */
function printable(words: string | null | undefined): string | null {
  const text = (words ?? "").replace(/[^\x20-\x7e]/g, "").slice(0, MAX_SOFTWARE_CHARACTERS);
  return text === "" ? null : text;
}

async function probeSui(network: SuiNetwork, baseUrl: string, fetch: Fetch, abort: AbortSignal): Promise<ProbedLedger> {
  const { ledgerService } = suiServices(baseUrl, boundedFetch(fetch));
  const readMask = { paths: ["system_state.protocol_version"] };
  const [info, { epoch }] = await Promise.all([
    ledgerService.getServiceInfo({}, { abort }).response,
    ledgerService.getEpoch({ readMask }, { abort }).response,
  ]);
  const { chain, checkpoint, timestampMs } = ledgerStateOf(info, baseUrl);
  if (!matchesNetwork(chain, network)) throw new InvalidReplyError(`the endpoint is of another chain: ${chain}`);
  return {
    height: checkpoint,
    ledgerAtMs: timestampMs,
    protocolVersion: epoch?.systemState?.protocolVersion?.toString() ?? null,
    software: printable(info.server),
  };
}

/**
 * Reads the progress of one endpoint, by one small question.
 *
 * @throws if it gives no valid answer for its network.
 */
export async function probeEndpoint(
  network: Network,
  url: string,
  fetch: Fetch,
  abort: AbortSignal,
): Promise<ProbedLedger> {
  if (isSuiNetwork(network)) return probeSui(network, url, fetch, abort);
  if (!isAptosNetwork(network)) throw new InvalidReplyError(`${network} has no nodes that can be asked`);
  const { status, ledger, body } = await ask({ network, urls: [url], fetch }, url, { path: "", abort });
  if (status !== 200) throw new InvalidReplyError(`the node answered HTTP ${status}`);
  const info = aptosInfo.safeParse(body);
  return {
    height: ledger.version,
    ledgerAtMs: ledger.timestampMs,
    protocolVersion: null,
    software: printable(info.data?.git_hash),
  };
}

/** Returns the text of a probe's fault without the endpoint's URL, which may hold a key. At most 200 characters. */
export function probeFault(error: unknown, url: string): string {
  const { origin, host } = new URL(url);
  const text = faultText(error).replaceAll(url, host).replaceAll(origin, host);
  return text.replace(/https?:\/\/\S+/g, host).slice(0, MAX_FAULT_CHARACTERS);
}
