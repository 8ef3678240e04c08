import { type AptosBounds, aptosEmbeddedPlan, aptosPlan } from "./aptos.ts";
import { type Attempt, attemptStore } from "./attempts.ts";
import { addressBytes, toHex } from "./bytes.ts";
import { tokenOf } from "./calls.ts";
import { ABORTED, failed, messageOf, NO_ACCOUNT, NO_TOKEN, networkNotSet } from "./errors.ts";
import { idOf, userOf } from "./identity.ts";
import { joinedRuns, type Work } from "./joined.ts";
import { KEPT_MS, TRY_MS, WALLET_MS } from "./limits.ts";
import type { AptosTarget, SuiTarget } from "./networks.ts";
import type { RunContext } from "./open-attempt.ts";
import { askedParts, type Named } from "./plan.ts";
import {
  type FlowFetch,
  type FlowStorage,
  inTime,
  type Ports,
  pageLocks,
  pageStorage,
  randomKey,
  sleep,
} from "./ports.ts";
import { type FlowCalls, flowCalls } from "./requests.ts";
import { run, runEmbedded } from "./run.ts";
import { type AptosSigner, type Bcs, type SuiSigner, suiAddressOf } from "./signers.ts";
import type { FlowResult, OnState } from "./states.ts";
import { type SuiBounds, type SuiTransaction, suiEmbeddedPlan, suiPlan, suiRequestName } from "./sui.ts";
import type { AptosExecuted, AptosJsonPayload, SuiExecuted } from "./wire.ts";

/** Settings of a client. */
export interface FlowsOptions {
  /** Origin of the workflows, without a path. Empty means the page's own origin. */
  readonly url: string;
  /** The user's token, or a function that gets it for each call. A back end uses FLOWS_CALLER_SECRET. */
  readonly token: string | (() => string | Promise<string>);
  /** The user whom a back end names. A page leaves it out, because the token names the user. */
  readonly user?: string;
  /** The network on Sui. Transactions for another network are refused before anyone signs. */
  readonly sui?: SuiTarget;
  /** The network on Aptos. */
  readonly aptos?: AptosTarget;
  /** Replaces the global `fetch`. */
  readonly fetch?: FlowFetch;
  /** Keeps open attempts. If absent, `localStorage`. Null keeps them only in the memory of this page. */
  readonly storage?: FlowStorage | null;
}

/** Settings of one call. */
export interface FlowSettings<Executed> {
  /**
   * Names the user's wish, such as an order. For a day, every call with this name is the one transaction of the first.
   * That holds even if it builds another one or another account signs. Without a name, a call joins an open attempt at
   * an equal transaction, or begins a new one.
   */
  readonly name?: string;
  /** Ends the call. A later signature is dropped. */
  readonly signal?: AbortSignal;
  /**
   * The wallet's time to answer, ms. If absent, ten minutes. A day at most. Then the call fails with `wallet_timeout`,
   * and a later signature is dropped. A call that joins another one keeps that one's time.
   */
  readonly walletMs?: number;
  /** Receives each state, to show it to the user. */
  readonly onState?: OnState<Executed>;
}

/** Settings of a call on Sui. */
export type SuiSettings<Client> = FlowSettings<SuiExecuted> & SuiBounds<Client>;
/** Settings of a call that the embedded wallet on Sui signs. `sender` is its address, if the build needs it. */
export type EmbeddedSuiSettings<Client> = FlowSettings<SuiExecuted> & {
  readonly client?: Client;
  readonly sender?: string;
};
/** Settings of a call on Aptos. */
export type AptosSettings = FlowSettings<AptosExecuted> & AptosBounds;

/** A client of the app's workflows. */
export interface Flows {
  /** The six workflows, one call each. */
  readonly calls: FlowCalls;
  /** Has the fund pay for a transaction that the user's own wallet signs. */
  sponsorAndExecute<Client>(
    transaction: SuiTransaction<Client>,
    signer: SuiSigner,
    settings?: SuiSettings<Client>,
  ): Promise<FlowResult<SuiExecuted>>;
  sponsorAndExecute(payload: Bcs, signer: AptosSigner, settings?: AptosSettings): Promise<FlowResult<AptosExecuted>>;
  /** Has the fund pay for a transaction that the user's embedded wallet signs. */
  executeEmbedded<Client>(
    transaction: SuiTransaction<Client>,
    settings?: EmbeddedSuiSettings<Client>,
  ): Promise<FlowResult<SuiExecuted>>;
  executeEmbedded(
    payload: AptosJsonPayload,
    settings?: FlowSettings<AptosExecuted>,
  ): Promise<FlowResult<AptosExecuted>>;
}

/** Creates a client of the app's workflows. */
export function createFlows(options: FlowsOptions): Flows {
  const { token, storage = pageStorage(), user = null } = options;
  return flowsOver(
    {
      url: options.url.replace(/\/+$/, ""),
      token: typeof token === "string" ? () => token : token,
      user,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      storage,
      locks: pageLocks(),
      nowMs: Date.now,
      random: Math.random,
      sleep,
      newKey: randomKey,
    },
    options,
  );
}

/** Creates a client with the ports that tests replace. */
export function flowsOver(ports: Ports, { sui, aptos }: Pick<FlowsOptions, "sui" | "aptos">): Flows {
  const calls = flowCalls(ports);
  const store = attemptStore(ports.storage);
  const suiRuns = joinedRuns<SuiExecuted>(ports.locks);
  const aptosRuns = joinedRuns<AptosExecuted>(ports.locks);
  /** Counts the ends of runs. A clock could step back, or stand still between two calls. */
  let time = 0;
  const ends = new Map<string, number>();

  /** Names the attempt, and starts or joins it. Fails if the app has no token. */
  async function start<Executed>(
    runs: ReturnType<typeof joinedRuns<Executed>>,
    [wallet, request, network = "", address = ""]: Asked,
    settings: FlowSettings<Executed>,
    begin: (named: Named, context: RunContext<Executed>) => Promise<FlowResult<Executed>>,
  ): Promise<FlowResult<Executed>> {
    const calledAt = time;
    const { name, walletMs = WALLET_MS } = settings;
    let user = ports.user;
    if (user === null) {
      const token = await inTime(TRY_MS, settings.signal, tokenOf(ports), () => null);
      if (token === null) return settings.signal?.aborted ? ABORTED : NO_TOKEN;
      user = userOf(token);
    }
    const place = [ports.url, user, wallet, network];
    const id = name === undefined ? idOf(...place, address, "request", request) : idOf(...place, "name", name);
    const signerOf = (asked: string) => idOf(...place, askedParts(asked).sender);
    const before = store.get(id);
    const isOwn = ({ key }: Attempt) =>
      before?.result === undefined || before.key !== key || (ends.get(id) ?? 0) > calledAt;
    const work: Work<Executed> = async (signal, onState) => {
      const named = { id, signerOf, isNamed: name !== undefined };
      const context = { ports, store, signal, walletMs: Math.min(walletMs, KEPT_MS), isOwn, onState };
      const result = await begin(named, context);
      time += 1;
      ends.set(id, time);
      return result;
    };
    return runs(id, work, settings);
  }

  async function onSui<Client>(
    transaction: SuiTransaction<Client>,
    signer: SuiSigner,
    settings: SuiSettings<Client> = {},
  ): Promise<FlowResult<SuiExecuted>> {
    if (sui === undefined) return networkNotSet("sui");
    const sender = normalized(suiAddressOf(signer));
    if (sender === null) return NO_ACCOUNT;
    const asked: Asked = ["sui", suiRequestName(transaction), sui.network, sender];
    return start(suiRuns, asked, settings, (named, context) =>
      run(suiPlan(named, transaction, { signer, sender }, sui, settings, calls), context),
    );
  }

  async function onAptos(
    payload: Bcs,
    signer: AptosSigner,
    settings: AptosSettings = {},
  ): Promise<FlowResult<AptosExecuted>> {
    if (aptos === undefined) return networkNotSet("aptos");
    const sender = normalized(signer.aptosAddress);
    if (sender === null) return NO_ACCOUNT;
    const asked: Asked = ["aptos", toHex(payload.bcsToBytes()), aptos.network, sender];
    return start(aptosRuns, asked, settings, (named, context) =>
      run(aptosPlan(named, payload, { signer, sender }, aptos, settings, { calls, nowMs: ports.nowMs }), context),
    );
  }

  async function embeddedOnSui<Client>(
    transaction: SuiTransaction<Client>,
    settings: EmbeddedSuiSettings<Client> = {},
  ) {
    return start(suiRuns, ["sui embedded", suiRequestName(transaction)], settings, (named, context) =>
      runEmbedded(suiEmbeddedPlan(named, transaction, settings, calls), context),
    );
  }

  async function embeddedOnAptos(payload: AptosJsonPayload, settings: FlowSettings<AptosExecuted> = {}) {
    return start(aptosRuns, ["aptos embedded", JSON.stringify(payload)], settings, (named, context) =>
      runEmbedded(aptosEmbeddedPlan(named, payload, calls), context),
    );
  }

  function sponsorAndExecute<Client>(...call: SuiCall<Client>): Promise<FlowResult<SuiExecuted>>;
  function sponsorAndExecute(...call: AptosCall): Promise<FlowResult<AptosExecuted>>;
  function sponsorAndExecute<Client>(...call: SuiCall<Client> | AptosCall) {
    return settled<SuiExecuted | AptosExecuted>(isAptosCall(call) ? onAptos(...call) : onSui(...call));
  }
  function executeEmbedded<Client>(...call: EmbeddedSuiCall<Client>): Promise<FlowResult<SuiExecuted>>;
  function executeEmbedded(...call: EmbeddedAptosCall): Promise<FlowResult<AptosExecuted>>;
  function executeEmbedded<Client>(...call: EmbeddedSuiCall<Client> | EmbeddedAptosCall) {
    return settled<SuiExecuted | AptosExecuted>(
      isEmbeddedSuiCall(call) ? embeddedOnSui(...call) : embeddedOnAptos(...call),
    );
  }
  return { calls, sponsorAndExecute, executeEmbedded };
}

/** Returns a fault of the app's transaction, payload or signer as a failure. */
function settled<Executed>(flow: Promise<FlowResult<Executed>>): Promise<FlowResult<Executed>> {
  return flow.catch((error) => failed("not_buildable", messageOf(error)));
}

/**
 * The parts of a request that name it. `wallet` is the chain, and whether the wallet is the embedded one. An embedded
 * wallet has no network and no address here, because its service has one network.
 */
type Asked = readonly [wallet: string, request: string, network?: string, address?: string];

type SuiCall<Client> = [transaction: SuiTransaction<Client>, signer: SuiSigner, settings?: SuiSettings<Client>];
type AptosCall = [payload: Bcs, signer: AptosSigner, settings?: AptosSettings];
type EmbeddedSuiCall<Client> = [transaction: SuiTransaction<Client>, settings?: EmbeddedSuiSettings<Client>];
type EmbeddedAptosCall = [payload: AptosJsonPayload, settings?: FlowSettings<AptosExecuted>];

function isAptosCall<Client>(call: SuiCall<Client> | AptosCall): call is AptosCall {
  return "signAptos" in call[1];
}

function isEmbeddedSuiCall<Client>(call: EmbeddedSuiCall<Client> | EmbeddedAptosCall): call is EmbeddedSuiCall<Client> {
  return "build" in call[0];
}

/** Returns an address in full length. Null if the text is not an address. */
function normalized(address: string): string | null {
  const bytes = addressBytes(address);
  return bytes === null ? null : toHex(bytes);
}
