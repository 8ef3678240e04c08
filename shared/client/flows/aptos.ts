import { aptosSigningMessage, checkAptos, isAptosOver, simpleTransactionBytes } from "./aptos-check.ts";
import { fromHex, toHex } from "./bytes.ts";
import { type AptosTarget, aptosNetwork } from "./networks.ts";
import { askedParts, askedText, type EmbeddedPlan, type Named, type Plan, type Request } from "./plan.ts";
import { type FlowCalls, readAptosExecuted, readAptosSponsored } from "./requests.ts";
import { type AptosSigner, askWallet, type Bcs } from "./signers.ts";
import type { AptosExecuted, AptosJsonPayload, AptosSponsored } from "./wire.ts";

/** Bounds of a transaction on Aptos. */
export interface AptosBounds {
  /** The most gas units. If absent, the workflow sets them. */
  readonly maxGasAmount?: bigint;
  /** The most octas that the gas may cost. If absent, 2 APT. */
  readonly maxGasOctas?: bigint;
  /** The sender's next sequence number, if the app knows it. */
  readonly sequenceNumber?: bigint;
}

const MAX_GAS_OCTAS = 200_000_000n;

/** Plans a transaction that the user's own wallet signs. */
export function aptosPlan(
  named: Named,
  payload: Bcs,
  { signer, sender }: { readonly signer: AptosSigner; readonly sender: string },
  target: AptosTarget,
  bounds: AptosBounds,
  { calls, nowMs }: { readonly calls: FlowCalls; readonly nowMs: () => number },
): Plan<AptosSponsored, AptosExecuted> {
  const { maxGasAmount, maxGasOctas = MAX_GAS_OCTAS, sequenceNumber = null } = bounds;
  return {
    ...requestOf(named, () => askedText(sender, toHex(payload.bcsToBytes()))),
    sponsor(asked, idempotencyKey, signal) {
      const { content: payloadBytes } = askedParts(asked);
      const request = { chain: "aptos", sender, payloadBytes, maxGasAmount: maxGasAmount?.toString() } as const;
      return calls.sponsor(request, { idempotencyKey, signal });
    },
    readSponsored: readAptosSponsored,
    check(sponsored, asked, used) {
      // An attempt that was signed earlier may have another signer than this call.
      const { sender, content } = askedParts(asked);
      const bytes = fromHex(content);
      if (bytes === null) return "the kept attempt is damaged";
      const limits = { maxGasOctas, sequenceNumber, used, nowMs: nowMs() };
      return checkAptos(sponsored, { payload: bytes, sender, ...aptosNetwork(target), ...limits });
    },
    sign: ({ bytes }) => {
      const toSign = {
        rawTransaction: bytes.slice(),
        simpleTransaction: simpleTransactionBytes(bytes),
        message: aptosSigningMessage(bytes),
      };
      return askWallet(async () => toHex(await signer.signAptos(toSign)));
    },
    isOver: async (checked) => isAptosOver(checked, nowMs()) || (await target.isOver?.(checked)) === true,
    execute({ sponsored: { rawTransaction }, signature }, idempotencyKey, signal) {
      const request = { chain: "aptos", rawTransaction, senderAuthenticator: signature } as const;
      return calls.executeSponsored(request, { idempotencyKey, signal });
    },
  };
}

/** Plans a transaction that the user's embedded wallet signs. */
export function aptosEmbeddedPlan(
  named: Named,
  payload: AptosJsonPayload,
  calls: FlowCalls,
): EmbeddedPlan<AptosExecuted> {
  return {
    ...requestOf(named, () => JSON.stringify(payload)),
    execute: (asked, idempotencyKey, signal) =>
      calls.sponsorAndExecute({ chain: "aptos", payload: JSON.parse(asked) }, { idempotencyKey, signal }),
  };
}

function requestOf(named: Named, write: () => string): Request<AptosExecuted> {
  return {
    ...named,
    build: async () => write(),
    readExecuted: readAptosExecuted,
    shorten: (executed) => ({ ...executed, pendingTransaction: null }),
  };
}
