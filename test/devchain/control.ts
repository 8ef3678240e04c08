import * as z from "zod";
import { APTOS_METHODS } from "./aptos/api/routes.ts";
import { GAS_SCHEDULE_NAMES, GAS_SCHEDULES, type GasSchedule, LATEST_GAS } from "./aptos/gas.ts";
import { LATEST_PROTOCOL, PROTOCOL_VERSIONS, type Protocol, protocolOf } from "./sui/protocol.ts";
import { RELEASES, type Release } from "./sui/release.ts";
import { NODE_METHODS } from "./sui/services/method.ts";

const MAX_EPOCHS_AT_ONCE = 1_000;
const MAX_REFERENCE_GAS_PRICE = 1_000_000_000n;
const MAX_FAULT_TIMES = 1_000_000;
const MAX_DELAY_MS = 600_000;
const MAX_LAG_MS = 3_600_000;
const EXECUTE = "TransactionExecutionService/ExecuteTransaction";
const SUBMIT = "POST /transactions";

/** The endpoint that is served where a path names none. */
export const DEFAULT_ENDPOINT = "default";
const EndpointName = z.string().regex(/^[a-z0-9]{1,16}$/, "must be 1 to 16 lower-case letters or digits");

const ReferenceGasPrice = z
  .string()
  .regex(/^[1-9]\d{0,18}$/, "must be a positive decimal string of MIST")
  .transform(BigInt)
  .refine((price) => price <= MAX_REFERENCE_GAS_PRICE, `must be at most ${MAX_REFERENCE_GAS_PRICE}`);

export const EpochChange = z.strictObject({
  advance: z.int().min(1).max(MAX_EPOCHS_AT_ONCE),
  referenceGasPrice: ReferenceGasPrice.optional(),
});

export const PriceChange = z.strictObject({ referenceGasPrice: ReferenceGasPrice });

/** While it is held, admitted transactions queue up; what that is for is in sui/consensus.ts. */
export const ConsensusOrder = z.strictObject({ held: z.boolean() });

export const LagOrder = z.strictObject({
  endpoint: EndpointName.default(DEFAULT_ENDPOINT),
  /** Null: what the endpoint has without an order. */
  lagMs: z.int().min(0).max(MAX_LAG_MS).nullable(),
});

/** Which release of the Sui node software an endpoint answers as. */
export const ReleaseOrder = z.strictObject({
  endpoint: EndpointName.default(DEFAULT_ENDPOINT),
  release: z.enum(RELEASES),
});

/** What an endpoint of Aptos has forgotten: all blocks below a height. Null: nothing. */
export const PruneOrder = z.strictObject({
  endpoint: EndpointName.default(DEFAULT_ENDPOINT),
  oldestHeight: z.int().min(1).nullable(),
  /** Where its refusals say that the rest is. Absent: they do not say. */
  archivalEndpoint: z.string().max(1_000).optional(),
});

/** How long an execution waits for an input that does not exist, before it is UNAVAILABLE. */
export const InputWaitOrder = z.strictObject({ waitMs: z.int().min(0).max(MAX_DELAY_MS) });

/** Rules of the Sui protocol that were others before. `sendsGasCoin`: `0x2::coin::send_funds` takes the gas coin by value. */
export const ProtocolOrder = z.strictObject({
  sendsGasCoin: z.boolean().optional(),
  /** One of `PROTOCOL_VERSIONS`. */
  version: z.union(PROTOCOL_VERSIONS.map((version) => z.literal(version))).optional(),
});

/** What gas costs on Aptos from the next transaction on. */
export const GasOrder = z.strictObject({ schedule: z.enum(GAS_SCHEDULE_NAMES) });

/** Which endpoint a `GET` or `DELETE` is about. */
export const EndpointQuery = z.strictObject({ endpoint: EndpointName.optional() });

/** Faults of ExecuteTransaction alone, and those of them that Aptos has too; what each does is in the faults.ts of each. */
const SUBMIT_MODES = ["unavailable_before_commit", "drop_after_commit"] as const;
const EXECUTE_MODES = [...SUBMIT_MODES, "lock_conflict", "stale_version"] as const;
const FaultMode = z.enum(["unavailable", "delay", "hang", "http_500", "garbage", "half_body", ...EXECUTE_MODES]);

export const FaultOrder = z
  .strictObject({
    endpoint: EndpointName.default(DEFAULT_ENDPOINT),
    method: z.string().refine((method) => NODE_METHODS.has(method) || APTOS_METHODS.has(method), {
      error: ({ input }) => `no method ${input}; for example ${EXECUTE} or ${SUBMIT}`,
    }),
    mode: FaultMode,
    times: z.int().min(1).max(MAX_FAULT_TIMES),
    delayMs: z.int().min(0).max(MAX_DELAY_MS).default(0),
  })
  .refine(({ method, mode }) => !EXECUTE_MODES.some((one) => one === mode) || modesOf(method).includes(mode), {
    path: ["mode"],
    message: `is no fault of this method, but of ${EXECUTE} or ${SUBMIT}`,
  });

function modesOf(method: string): readonly string[] {
  if (method === EXECUTE) return EXECUTE_MODES;
  return method === SUBMIT ? SUBMIT_MODES : [];
}

type FaultOrder = z.infer<typeof FaultOrder>;
export type Fault = Pick<FaultOrder, "mode" | "delayMs">;

/** What an endpoint has forgotten. */
export interface Pruned {
  readonly oldestHeight: number;
  readonly archivalEndpoint?: string | undefined;
}

interface Endpoint {
  /** Null: none was ordered. */
  lagMs: number | null;
  release: Release;
  pruned: Pruned | null;
  readonly calls: Map<string, number>;
  readonly orders: { readonly method: string; readonly fault: Fault; left: number }[];
}

export type Controls = ReturnType<typeof createControls>;

/** What a chain waits for where nobody has ordered otherwise. */
export interface Delays {
  /** Each endpoint of Sui is so far behind what it has executed. */
  readonly suiLagMs: number;
  /** Each endpoint of Aptos is so far behind what was committed, and its indexer as far behind it. */
  readonly aptosLagMs: number;
  /** An execution waits so long for an input that does not exist. */
  readonly inputWaitMs: number;
}

/** For tests of the chain itself, which do not wait. */
const NO_DELAYS: Delays = { suiLagMs: 0, aptosLagMs: 0, inputWaitMs: 0 };

/**
 * Call counts, ordered faults, delays and releases of every endpoint. They are kept in memory: a restart forgets them.
 *
 * @param startedAs the version of the Sui protocol that the chain is run as, unless another one is ordered.
 */
export function createControls(delays: Delays = NO_DELAYS, startedAs = LATEST_PROTOCOL) {
  const endpoints = new Map<string, Endpoint>();
  let { inputWaitMs } = delays;
  let sendsGasCoin = true;
  let protocol = protocolOf(startedAs);
  let aptosGas = LATEST_GAS;

  function endpoint(name: string): Endpoint {
    const known = endpoints.get(name);
    if (known) return known;
    const made: Endpoint = { lagMs: null, release: "latest", pruned: null, calls: new Map(), orders: [] };
    endpoints.set(name, made);
    return made;
  }

  /** The named endpoint, or all of them. */
  function chosen(name: string | undefined): Endpoint[] {
    return name === undefined ? [...endpoints.values()] : [endpoint(name)];
  }

  return {
    countCall(name: string, method: string): void {
      const { calls } = endpoint(name);
      calls.set(method, (calls.get(method) ?? 0) + 1);
    },

    calls: (name: string): Record<string, number> => Object.fromEntries([...endpoint(name).calls].sort()),

    clearCalls(name: string | undefined): void {
      for (const { calls } of chosen(name)) calls.clear();
    },

    orderFault({ endpoint: name, method, times, mode, delayMs }: FaultOrder): void {
      endpoint(name).orders.push({ method, fault: { mode, delayMs }, left: times });
    },

    clearFaults(name: string | undefined): void {
      for (const { orders } of chosen(name)) orders.length = 0;
    },

    /** Takes the oldest fault that is ordered for this method and counts it as used. */
    takeFault(name: string, method: string): Fault | undefined {
      const { orders } = endpoint(name);
      const index = orders.findIndex((order) => order.method === method);
      const order = orders[index];
      if (order === undefined) return undefined;
      order.left -= 1;
      if (order.left === 0) orders.splice(index, 1);
      return order.fault;
    },

    /** 0: none was ordered. */
    orderedLagMs: (name: string): number => endpoint(name).lagMs ?? 0,

    suiLagMs: (name: string): number => endpoint(name).lagMs ?? delays.suiLagMs,

    aptosLagMs: (name: string): number => endpoint(name).lagMs ?? delays.aptosLagMs,

    /** The indexer reads what its node shows, and shows it later; an ordered lag is that of both. */
    aptosIndexerLagMs: (name: string): number => endpoint(name).lagMs ?? 2 * delays.aptosLagMs,

    setLag(name: string, lagMs: number | null): void {
      endpoint(name).lagMs = lagMs;
    },

    release: (name: string): Release => endpoint(name).release,

    setRelease(name: string, release: Release): void {
      endpoint(name).release = release;
    },

    pruned: (name: string): Pruned | null => endpoint(name).pruned,

    setPruned({ endpoint: name, oldestHeight, archivalEndpoint }: z.infer<typeof PruneOrder>): void {
      endpoint(name).pruned = oldestHeight === null ? null : { oldestHeight, archivalEndpoint };
    },

    inputWaitMs: (): number => inputWaitMs,

    setInputWait(waitMs: number): void {
      inputWaitMs = waitMs;
    },

    sendsGasCoin: (): boolean => sendsGasCoin,

    protocol: (): Protocol => protocol,

    setProtocol(order: z.infer<typeof ProtocolOrder>): void {
      sendsGasCoin = order.sendsGasCoin ?? sendsGasCoin;
      if (order.version !== undefined) protocol = protocolOf(order.version);
    },

    aptosGas: (): GasSchedule => aptosGas,

    setAptosGas({ schedule }: z.infer<typeof GasOrder>): void {
      aptosGas = GAS_SCHEDULES[schedule];
    },

    /** Forgets everything, as a restart does. */
    reset(): void {
      endpoints.clear();
      sendsGasCoin = true;
      protocol = protocolOf(startedAs);
      aptosGas = LATEST_GAS;
      inputWaitMs = delays.inputWaitMs;
    },
  };
}
