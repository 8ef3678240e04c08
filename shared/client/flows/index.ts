/**
 * A client of the app's workflows, for pages and back ends. It sponsors a transaction, compares the answer with the
 * request, lets any wallet sign, and executes once, through every failure. It imports no SDK of a chain.
 */

export type { AptosBounds } from "./aptos.ts";
export type { Reply } from "./calls.ts";
export {
  type AptosSettings,
  createFlows,
  type EmbeddedSuiSettings,
  type FlowSettings,
  type Flows,
  type FlowsOptions,
  type SuiSettings,
} from "./create.ts";
export type { ClientCode, FlowAction, FlowError, WorkflowCode } from "./errors.ts";
export { FlowFailure, type SuiExecutor, type SuiExecutorResult, suiExecutor } from "./executor.ts";
export type { AptosTarget, ChainView, NetworkName, SignedTransaction, SuiTarget } from "./networks.ts";
export type { FlowFetch, FlowStorage } from "./ports.ts";
export type { CallSettings, ExecutingSettings, FlowCalls, SponsorSettings } from "./requests.ts";
export {
  type AptosAccount,
  type AptosSdk,
  type AptosSigner,
  type AptosToSign,
  type AptosWallet,
  aptosAccount,
  aptosKey,
  aptosWallet,
  type Bcs,
  type Ed25519Key,
  type SuiKeySigner,
  type SuiSigner,
  type SuiWalletSigner,
} from "./signers.ts";
export type { FlowResult, FlowState, FlowStep, OnState, Repeated } from "./states.ts";
export type { SuiBounds, SuiTransaction } from "./sui.ts";
export type * from "./wire.ts";
