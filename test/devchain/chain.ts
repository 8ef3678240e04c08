import { DurableObject } from "cloudflare:workers";
import { type DevChain, openDevChain } from "./app.ts";
import { durableObjectSql } from "./sql.ts";
import { LATEST_PROTOCOL } from "./sui/protocol.ts";

export interface ChainEnv {
  readonly CHAIN: DurableObjectNamespace<Chain>;
  /** Milliseconds that the chain's clock is ahead of this machine's. */
  readonly CLOCK_OFFSET_MS?: string;
  readonly EPOCH_DURATION_MS?: string;
  /** The version of the Sui protocol that the chain is run as. Unset: the latest. */
  readonly SUI_PROTOCOL_VERSION?: string;
  /** How far each endpoint of Sui is behind what it has executed. */
  readonly SUI_LAG_MS?: string;
  /** How far each endpoint of Aptos is behind what was committed. */
  readonly APTOS_LAG_MS?: string;
}

const DEFAULT_EPOCH_DURATION_MS = 24 * 60 * 60 * 1_000;

/** A node shows what it has executed after 0.2 to 1 s (measured, 1.62): a checkpoint, and its indexing. */
const DEFAULT_SUI_LAG_MS = 250;
/** Modelled: a full node executes a block after the validators have committed it. */
const DEFAULT_APTOS_LAG_MS = 250;
/** A node tries for 34 to 90 s (measured, 1.62). */
const INPUT_WAIT_MS = 30_000;

/** The one object that holds the whole chain. */
export class Chain extends DurableObject<ChainEnv> {
  readonly #opened: Promise<DevChain>;

  constructor(ctx: DurableObjectState, env: ChainEnv) {
    super(ctx, env);
    const clockOffsetMs = Number(env.CLOCK_OFFSET_MS ?? 0);
    if (!Number.isSafeInteger(clockOffsetMs)) throw new Error("CLOCK_OFFSET_MS must be a whole number of milliseconds");
    this.#opened = ctx.blockConcurrencyWhile(() =>
      openDevChain({
        sql: durableObjectSql(ctx.storage),
        nowMs: () => Date.now() + clockOffsetMs,
        epochDurationMs: BigInt(env.EPOCH_DURATION_MS ?? DEFAULT_EPOCH_DURATION_MS),
        protocolVersion: Number(env.SUI_PROTOCOL_VERSION ?? LATEST_PROTOCOL),
        delays: {
          suiLagMs: Number(env.SUI_LAG_MS ?? DEFAULT_SUI_LAG_MS),
          aptosLagMs: Number(env.APTOS_LAG_MS ?? DEFAULT_APTOS_LAG_MS),
          inputWaitMs: INPUT_WAIT_MS,
        },
      }),
    );
  }

  override async fetch(request: Request): Promise<Response> {
    return (await this.#opened).fetch(request);
  }
}
