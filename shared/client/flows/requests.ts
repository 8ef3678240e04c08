import { type Call, fieldsOf, type Reply, send, textsOf } from "./calls.ts";
import type { Ports } from "./ports.ts";
import type {
  AptosExecuted,
  AptosExecuteRequest,
  AptosSponsored,
  AptosSponsorRequest,
  ChainRequest,
  EmbeddedRequest,
  SignAnswer,
  SignRequest,
  SuiExecuted,
  SuiExecuteRequest,
  SuiSponsored,
  SuiSponsorRequest,
  WalletAnswer,
} from "./wire.ts";

/** Settings of one call. */
export interface CallSettings {
  readonly signal?: AbortSignal | undefined;
}

/** Settings of a call that executes. The key names the attempt: a repeat with it executes nothing twice. */
export interface ExecutingSettings extends CallSettings {
  readonly idempotencyKey: string;
}

/** Settings of `sponsor`. With a key, a repeat on Sui answers the same sponsorship. */
export interface SponsorSettings extends CallSettings {
  readonly idempotencyKey?: string;
}

/** The six workflows, typed. No call rejects. */
export interface FlowCalls {
  /** Makes the user's embedded wallet, or returns the existing one. */
  createWalletOnChain(request: ChainRequest, settings?: CallSettings): Promise<Reply<WalletAnswer>>;
  /** Returns the user's embedded wallet, or fails with `wallet_not_found`. */
  wallet(request: ChainRequest, settings?: CallSettings): Promise<Reply<WalletAnswer>>;
  /** Has a transaction sponsored. Compare the answer with the request before a user signs it. */
  sponsor(request: SuiSponsorRequest, settings?: SponsorSettings): Promise<Reply<SuiSponsored>>;
  sponsor(request: AptosSponsorRequest, settings?: SponsorSettings): Promise<Reply<AptosSponsored>>;
  /** Executes a sponsored transaction that the user has signed. */
  executeSponsored(request: SuiExecuteRequest, settings: ExecutingSettings): Promise<Reply<SuiExecuted>>;
  executeSponsored(request: AptosExecuteRequest, settings: ExecutingSettings): Promise<Reply<AptosExecuted>>;
  /** Signs with the user's embedded wallet, has the fund pay, and executes. */
  sponsorAndExecute(
    request: EmbeddedRequest & { readonly chain: "sui" },
    settings: ExecutingSettings,
  ): Promise<Reply<SuiExecuted>>;
  sponsorAndExecute(
    request: EmbeddedRequest & { readonly chain: "aptos" },
    settings: ExecutingSettings,
  ): Promise<Reply<AptosExecuted>>;
  /** Signs with the user's embedded wallet, and sends nothing. */
  signTransaction(request: SignRequest, settings?: CallSettings): Promise<Reply<SignAnswer>>;
}

/** Makes the calls of the six workflows. */
export function flowCalls(ports: Ports): FlowCalls {
  const post = <Answer>(
    path: string,
    body: object,
    { signal, idempotencyKey }: SponsorSettings,
    read: (body: unknown) => Answer | null,
    executes = false,
  ) => send({ method: "POST", path, body, read, signal, idempotencyKey, executes }, ports);
  function sponsor(request: SuiSponsorRequest, settings?: SponsorSettings): Promise<Reply<SuiSponsored>>;
  function sponsor(request: AptosSponsorRequest, settings?: SponsorSettings): Promise<Reply<AptosSponsored>>;
  function sponsor(request: SuiSponsorRequest | AptosSponsorRequest, settings: SponsorSettings = {}) {
    return post<SuiSponsored | AptosSponsored>(
      "sponsor",
      request,
      settings,
      request.chain === "aptos" ? readAptosSponsored : readSuiSponsored,
    );
  }
  const execution = (path: string) => {
    function execute(request: SuiExecution, settings: ExecutingSettings): Promise<Reply<SuiExecuted>>;
    function execute(request: AptosExecution, settings: ExecutingSettings): Promise<Reply<AptosExecuted>>;
    function execute(request: SuiExecution | AptosExecution, settings: ExecutingSettings) {
      const read = request.chain === "aptos" ? readAptosExecuted : readSuiExecuted;
      return post<SuiExecuted | AptosExecuted>(path, request, settings, read, true);
    }
    return execute;
  };
  return {
    createWalletOnChain: (request, settings = {}) =>
      post("create-wallet-on-chain", request, settings, (body) => readWallet(body, request)),
    wallet: ({ chain }, { signal } = {}) => {
      const call: Call<WalletAnswer> = {
        method: "GET",
        path: `wallet?chain=${chain}`,
        signal,
        read: (body) => readWallet(body, { chain }),
      };
      return send(call, ports);
    },
    sponsor,
    executeSponsored: execution("execute-sponsored"),
    sponsorAndExecute: execution("sponsor-and-execute"),
    signTransaction: (request, settings = {}) => post("sign-transaction", request, settings, readSignature),
  };
}

type SuiExecution = SuiExecuteRequest | (EmbeddedRequest & { readonly chain: "sui" });
type AptosExecution = AptosExecuteRequest | (EmbeddedRequest & { readonly chain: "aptos" });

function readWallet(body: unknown, { chain }: ChainRequest): WalletAnswer | null {
  const { walletId, address, chain: named } = fieldsOf(body);
  return named === chain && typeof walletId === "string" && typeof address === "string"
    ? { chain, walletId, address }
    : null;
}

function readSignature(body: unknown): SignAnswer | null {
  const { signature } = fieldsOf(body);
  return typeof signature === "string" ? { signature } : null;
}

/** Reads an answer of `sponsor` on Sui. Null if it has another form. */
export function readSuiSponsored(body: unknown): SuiSponsored | null {
  const { txBytes, txDigest, expiresAtMs } = fieldsOf(body);
  if (typeof txBytes !== "string" || typeof txDigest !== "string" || !isTime(expiresAtMs)) return null;
  return { txBytes, txDigest, expiresAtMs, ...textsOf(body, ["network", "sponsorship"]) };
}

/** Reads an answer of `sponsor` on Aptos. Null if it has another form. */
export function readAptosSponsored(body: unknown): AptosSponsored | null {
  const { rawTransaction, expiresAtMs, feePayerAddress } = fieldsOf(body);
  if (typeof rawTransaction !== "string" || !isTime(expiresAtMs)) return null;
  return {
    ...{ rawTransaction, expiresAtMs },
    ...textsOf(body, ["network"]),
    ...(feePayerAddress !== undefined && { feePayerAddress }),
  };
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Reads an executed transaction on Sui. Null if it has another form. */
export function readSuiExecuted(body: unknown): SuiExecuted | null {
  const { digest, status, effects = null } = fieldsOf(body);
  if (typeof digest !== "string" || (status !== "success" && status !== "failure")) return null;
  return { digest, status, effects };
}

/** Reads a transaction that an Aptos node has. Null if it has another form. */
export function readAptosExecuted(body: unknown): AptosExecuted | null {
  const { hash, status, pendingTransaction = null } = fieldsOf(body);
  return typeof hash === "string" && status === "pending" ? { hash, status, pendingTransaction } : null;
}
