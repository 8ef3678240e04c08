import * as z from "zod";
import { type AptosNode, openAptosNode } from "./aptos/node.ts";
import {
  ConsensusOrder,
  type Controls,
  createControls,
  DEFAULT_ENDPOINT,
  type Delays,
  EndpointQuery,
  EpochChange,
  FaultOrder,
  GasOrder,
  InputWaitOrder,
  LagOrder,
  PriceChange,
  ProtocolOrder,
  PruneOrder,
  ReleaseOrder,
} from "./control.ts";
import { APTOS_DEMO_MODULE, DEMO_PACKAGE } from "./demo.ts";
import { closable, dropTables, type Sql } from "./sql.ts";
import { openSuiNode, type SuiNode } from "./sui/node.ts";
import { GrpcCode, GrpcStatus } from "./sui/status.ts";

const MAX_FAUCET_MIST = 10_000_000n * 1_000_000_000n;
const MAX_FAUCET_OCTAS = 1_000_000n * 100_000_000n;
/** `/sui/<Service>/<Method>` of the default endpoint, `/sui/<endpoint>/<Service>/<Method>` of another. */
const SUI_PATH = /^\/sui(?:\/([a-z0-9]{1,16}))?(\/[^/]+\/[^/]+)$/;
/** `/aptos/v1` and what follows of the default endpoint, `/aptos/<endpoint>/v1` of another. */
const APTOS_INDEXER_PATH = /^\/aptos(?:\/([a-z0-9]{1,16}))?\/graphql\/?$/;
const APTOS_PATH = /^\/aptos(?:\/([a-z0-9]{1,16}))?\/v1(\/.*)?$/;

const ABOUT = `A development chain: it stands in for Sui and Aptos full nodes, on this machine only.

POST /sui/sui.rpc.v2.<Service>/<Method>   gRPC-web; the base URL for SuiGrpcClient ends with /sui, or with
                                          /sui/<endpoint> for another node of the same chain, such as /sui/a
GET, POST /aptos/v1/…                     the REST API of an Aptos node; /aptos/<endpoint>/v1 for another node
POST /aptos/graphql                       its indexer; /aptos/<endpoint>/graphql for another
POST /faucet                              {"network": "SUI_LOCALNET", "address": "0x…", "amount": "1000000000",
                                           "form"?: "coin" | "address_balance"}
                                          {"network": "APTOS_LOCALNET", "address": "0x…", "amount": "100000000"}
GET /control/health
GET /control/demo                         where the demo package and the demo module are
GET /control/calls                        calls of each method since the start, of ?endpoint=a or the default one;
                                          DELETE sets them to zero, of all endpoints or of ?endpoint=a
POST /control/epoch                       {"advance": 1, "referenceGasPrice"?: "1000"}, of Sui
POST /control/price                       {"referenceGasPrice": "1000"}, of Sui, from the next epoch on
POST /control/consensus                   {"held": true}; while it is held, transactions are admitted but not executed
GET /control/consensus                    how many transactions of Sui wait for that
POST /control/lag                         {"endpoint"?: "a", "lagMs": 2000}; what is younger is not shown there
POST /control/release                     {"endpoint"?: "a", "release": "1.62"}; answers as an older Sui node
POST /control/prune                       {"endpoint"?: "a", "oldestHeight": 9, "archivalEndpoint"?: "http://…"}; an
                                          endpoint of Aptos has no older blocks, null: has all
POST /control/inputs                      {"waitMs": 30000}; how long an execution waits for an input of Sui that does
                                          not exist, before it is UNAVAILABLE
POST /control/protocol                    {"version": 137}; Sui runs as that version of its protocol, or
                                          {"sendsGasCoin": false}; coin::send_funds of the gas coin is refused
POST /control/gas                         {"schedule": "2025-07"}; what gas and storage cost on Aptos
POST /control/fault                       {"endpoint"?: "a", "method": "TransactionExecutionService/ExecuteTransaction",
                                           "mode": "drop_after_commit", "times": 1, "delayMs"?: 0}
                                          of Aptos, methods are routes, as "POST /transactions"
                                          DELETE takes the faults back, of all endpoints or of ?endpoint=a
    modes of any method                   unavailable, delay, hang, http_500, garbage, half_body
    modes of ExecuteTransaction           unavailable_before_commit, drop_after_commit, lock_conflict, stale_version
    modes of POST /transactions           unavailable_before_commit, drop_after_commit
POST /control/reset                       a new genesis: other chain id, empty state, no faults and no lag
`;

const FaucetAddress = z.string().regex(/^0x[0-9a-f]{64}$/, "must be 0x and 64 lower-case hex digits");

function faucetAmount(unit: string, most: bigint) {
  return z
    .string()
    .regex(/^[1-9]\d{0,18}$/, `must be a positive decimal string of ${unit}`)
    .transform(BigInt)
    .refine((amount) => amount <= most, `must be at most ${most}`);
}

const FaucetRequest = z.discriminatedUnion("network", [
  z.strictObject({
    network: z.literal("SUI_LOCALNET"),
    address: FaucetAddress,
    amount: faucetAmount("MIST", MAX_FAUCET_MIST),
    form: z.enum(["coin", "address_balance"]).default("coin"),
  }),
  z.strictObject({
    network: z.literal("APTOS_LOCALNET"),
    address: FaucetAddress,
    amount: faucetAmount("octas", MAX_FAUCET_OCTAS),
  }),
]);

export interface DevChainOptions {
  readonly sql: Sql;
  readonly nowMs: () => number;
  readonly epochDurationMs: bigint;
  /** Absent: none. */
  readonly delays?: Delays;
  /** The version of the Sui protocol that it is run as. Absent: the latest. */
  readonly protocolVersion?: number;
}

export interface DevChain {
  /** The nodes of the chain that there is now: a reset replaces them. */
  readonly sui: SuiNode;
  readonly aptos: AptosNode;
  fetch(request: Request): Promise<Response>;
}

/** Opens the development chain on a storage; everything but call counts, faults and lags survives a restart. */
export async function openDevChain(options: DevChainOptions): Promise<DevChain> {
  const controls = createControls(options.delays, options.protocolVersion);

  async function open() {
    const { sql, close } = closable(
      options.sql,
      () => new GrpcStatus(GrpcCode.UNAVAILABLE, "the development chain was reset"),
    );
    const aptos = openAptosNode({ ...options, sql, controls });
    return { sui: await openSuiNode({ ...options, sql, controls }), aptos, close };
  }

  let current = await open();
  let lastReset: Promise<void> = Promise.resolve();

  async function startAnew(): Promise<void> {
    current.close();
    dropTables(options.sql);
    controls.reset();
    current = await open();
  }

  /** One after another: a second one must not take away the tables that the first is filling. */
  function reset(): Promise<void> {
    lastReset = lastReset.then(startAnew);
    return lastReset;
  }

  return {
    get sui() {
      return current.sui;
    },
    get aptos() {
      return current.aptos;
    },
    fetch: (request) => route({ ...current, controls, reset }, request),
  };
}

interface Handles {
  readonly sui: SuiNode;
  readonly aptos: AptosNode;
  readonly controls: Controls;
  reset(): Promise<void>;
}

async function route(handles: Handles, request: Request): Promise<Response> {
  const { sui, aptos } = handles;
  const { pathname } = new URL(request.url);
  const call = request.method === "POST" ? SUI_PATH.exec(pathname) : null;
  if (call !== null) return sui.serve(call[1] ?? DEFAULT_ENDPOINT, call[2] ?? "", request);
  const rest = APTOS_PATH.exec(pathname);
  if (rest !== null) return aptos.serve(rest[1] ?? DEFAULT_ENDPOINT, rest[2] ?? "/", request);
  const indexer = request.method === "POST" ? APTOS_INDEXER_PATH.exec(pathname) : null;
  if (indexer !== null) return aptos.query(indexer[1] ?? DEFAULT_ENDPOINT, request);
  switch (`${request.method} ${pathname}`) {
    case "GET /":
      return new Response(ABOUT, { headers: { "content-type": "text/plain; charset=utf-8" } });
    case "POST /faucet":
      return withBody(FaucetRequest, request, (order) => pay(handles, order));
    default:
      return pathname.startsWith("/control/") ? control(handles, pathname, request) : noRoute(request, pathname);
  }
}

async function pay({ sui, aptos }: Handles, order: z.infer<typeof FaucetRequest>) {
  const { network, address, amount } = order;
  const paid =
    order.network === "SUI_LOCALNET"
      ? await sui.faucet(address, amount, order.form)
      : await aptos.faucet(address, amount);
  return { network, address, amount: String(amount), ...paid };
}

async function control(
  { sui, aptos, controls, reset }: Handles,
  pathname: string,
  request: Request,
): Promise<Response> {
  switch (`${request.method} ${pathname}`) {
    case "GET /control/health":
      return Response.json(healthOf(sui, aptos));
    case "GET /control/demo":
      return Response.json(demoContracts());
    case "GET /control/calls":
      return withEndpoint(request, (endpoint) => controls.calls(endpoint ?? DEFAULT_ENDPOINT));
    case "DELETE /control/calls":
      return withEndpoint(request, (endpoint) => controls.clearCalls(endpoint));
    case "POST /control/epoch":
      return withBody(EpochChange, request, ({ advance, referenceGasPrice }) => {
        sui.state.advanceEpoch(BigInt(advance), referenceGasPrice);
        return healthOf(sui, aptos);
      });
    case "POST /control/price":
      return withBody(PriceChange, request, ({ referenceGasPrice }) => {
        sui.state.setNextReferenceGasPrice(referenceGasPrice);
        return healthOf(sui, aptos);
      });
    case "POST /control/consensus":
      return withBody(ConsensusOrder, request, ({ held }) => {
        if (held) sui.ledger.consensus.hold();
        else sui.ledger.consensus.release();
        if (held) aptos.ledger.hold();
        else aptos.ledger.release();
      });
    case "GET /control/consensus":
      return Response.json({ waiting: sui.ledger.consensus.waiting() });
    case "POST /control/lag":
      return withBody(LagOrder, request, ({ endpoint, lagMs }) => controls.setLag(endpoint, lagMs));
    case "POST /control/release":
      return withBody(ReleaseOrder, request, ({ endpoint, release }) => controls.setRelease(endpoint, release));
    case "POST /control/prune":
      return withBody(PruneOrder, request, (order) => controls.setPruned(order));
    case "POST /control/inputs":
      return withBody(InputWaitOrder, request, ({ waitMs }) => controls.setInputWait(waitMs));
    case "POST /control/protocol":
      return withBody(ProtocolOrder, request, (order) => controls.setProtocol(order));
    case "POST /control/gas":
      return withBody(GasOrder, request, (order) => controls.setAptosGas(order));
    case "POST /control/fault":
      return withBody(FaultOrder, request, (order) => controls.orderFault(order));
    case "DELETE /control/fault":
      return withEndpoint(request, (endpoint) => controls.clearFaults(endpoint));
    case "POST /control/reset":
      await reset();
      return Response.json({});
    default:
      return noRoute(request, pathname);
  }
}

function demoContracts() {
  const [address, module] = APTOS_DEMO_MODULE.split("::");
  return { sui: { package: DEMO_PACKAGE }, aptos: { address, module } };
}

function healthOf({ state }: SuiNode, { ledger }: AptosNode) {
  const { version, height } = ledger.view();
  const { epoch, startMs, referenceGasPrice } = state.epoch();
  return {
    ok: true,
    sui: {
      chainId: state.chainId,
      epoch: String(epoch),
      epochStartMs: startMs,
      referenceGasPrice: String(referenceGasPrice),
      nextReferenceGasPrice: String(state.nextReferenceGasPrice()),
      checkpoint: String(state.currentCheckpoint().sequenceNumber),
    },
    aptos: { ledgerVersion: String(version), blockHeight: String(height) },
  };
}

/** Answers with what `handle` gives for the body, `{}` when it gives nothing, or 400 with what is wrong. */
async function withBody<Schema extends z.ZodType>(
  schema: Schema,
  request: Request,
  handle: (body: z.infer<Schema>) => unknown,
): Promise<Response> {
  let json: unknown;
  try {
    json = await request.json();
  } catch {
    return badRequest("the body is not JSON");
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) return badRequest(z.prettifyError(parsed.error));
  return Response.json((await handle(parsed.data)) ?? {});
}

function withEndpoint(request: Request, handle: (endpoint: string | undefined) => unknown): Response {
  const parsed = EndpointQuery.safeParse(Object.fromEntries(new URL(request.url).searchParams));
  if (!parsed.success) return badRequest(z.prettifyError(parsed.error));
  return Response.json(handle(parsed.data.endpoint) ?? {});
}

function badRequest(error: string): Response {
  return Response.json({ error }, { status: 400 });
}

function noRoute(request: Request, pathname: string): Response {
  return Response.json({ error: `no route ${request.method} ${pathname}; GET / lists them` }, { status: 404 });
}
