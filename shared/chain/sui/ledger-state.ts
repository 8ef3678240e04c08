import type { GrpcTypes } from "@mysten/sui/grpc";
import { fromBase58, toHex } from "@mysten/sui/utils";
import { InvalidReplyError } from "../failover.ts";
import { seenIn } from "../one-reply.ts";
import type { Reply, ReplyHeaders } from "./grpc/call.ts";
import { readTimestampMs, required } from "./grpc/fields.ts";
import { readChainIdentifier } from "./grpc/replies.ts";
import type { SuiServices } from "./grpc/services.ts";
import type { SuiLedgerState, SuiSeen } from "./seen.ts";

/** The headers that a node appends to every reply (`sui-rpc-api`, `response.rs`). */
interface NodeHeaders {
  readonly chainId: string;
  readonly checkpoint: bigint;
  readonly lowestAvailable: bigint;
}

/** `954eea01`: a node writes the first bytes of the genesis digest in its headers. */
const SHORT_CHAIN_ID_BYTES = 4;
const U64_TEXT = /^[0-9]{1,20}$/;

/** Returns true if a header of a node names this chain, in short or in full. */
export function namesChain(headerChainId: string, chainIdentifier: string): boolean {
  return (
    headerChainId === chainIdentifier ||
    headerChainId === toHex(fromBase58(chainIdentifier).subarray(0, SHORT_CHAIN_ID_BYTES))
  );
}

/** @returns null if a proxy before the node has removed the headers. */
function readHeaders(headers: ReplyHeaders): NodeHeaders | null {
  const chainId = headers.get("x-sui-chain-id");
  const checkpoint = headers.get("x-sui-checkpoint-height");
  const lowestAvailable = headers.get("x-sui-lowest-available-checkpoint");
  if (typeof chainId !== "string" || typeof checkpoint !== "string" || typeof lowestAvailable !== "string") return null;
  if (!U64_TEXT.test(checkpoint) || !U64_TEXT.test(lowestAvailable))
    throw new InvalidReplyError("the node's reply has malformed headers");
  return { chainId, checkpoint: BigInt(checkpoint), lowestAvailable: BigInt(lowestAvailable) };
}

/** Reads an endpoint's progress from its description of itself. */
export function ledgerStateOf(info: GrpcTypes.GetServiceInfoResponse, baseUrl: string): SuiLedgerState {
  const checkpoint = required(info.checkpointHeight, "checkpoint_height");
  return {
    endpoint: new URL(baseUrl).host,
    chain: readChainIdentifier(info),
    checkpoint,
    timestampMs: readTimestampMs(required(info.timestamp, "timestamp")),
    epoch: required(info.epoch, "epoch"),
    newestCheckpoint: checkpoint,
    lowestAvailable: required(info.lowestAvailableCheckpoint, "lowest_available_checkpoint"),
  };
}

/** Reads the endpoint's present progress, by one reply. */
export async function readLedgerState(
  client: SuiServices,
  baseUrl: string,
  abort: AbortSignal,
): Promise<SuiLedgerState> {
  return ledgerStateOf(await client.ledgerService.getServiceInfo({}, { abort }).response, baseUrl);
}

/**
 * Reads a reply at the earlier read height or above.
 *
 * A proxy may remove a node's headers. A second GetServiceInfo then brackets the reply. That suffices for a single
 * node, and such an endpoint can show nothing more.
 *
 * @throws InvalidReplyError if another node has answered, which serves another chain or is behind that height.
 */
export async function seenSince<T>(
  before: SuiLedgerState,
  { headers, response }: Reply<T>,
  standingAfter: () => Promise<SuiLedgerState>,
): Promise<SuiSeen<T>> {
  const [replyHeaders, value] = await Promise.all([headers, response]);
  const own = readHeaders(replyHeaders);
  const after = own === null ? await standingAfter() : null;
  const isSameChain = own === null ? after?.chain === before.chain : namesChain(own.chainId, before.chain);
  if (!isSameChain) throw new InvalidReplyError("the endpoint answers for more than one chain");
  const newestCheckpoint = own?.checkpoint ?? after?.checkpoint ?? 0n;
  if (newestCheckpoint < before.checkpoint)
    throw new InvalidReplyError(
      `the endpoint has fallen back from checkpoint ${before.checkpoint} to ${newestCheckpoint}`,
    );
  const lowestAvailable = own?.lowestAvailable ?? after?.lowestAvailable ?? before.checkpoint;
  return seenIn({ ...before, newestCheckpoint, lowestAvailable }, value);
}
