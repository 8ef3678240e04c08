import * as z from "zod";
import { type Controls, createControls, EpochChange, FaultOrder } from "./control.ts";
import type { Sql } from "./sql.ts";
import { openSuiNode, type SuiNode } from "./sui/node.ts";
import { NODE_METHODS } from "./sui/services/method.ts";

const MAX_FAUCET_MIST = 10_000_000n * 1_000_000_000n;
const SUI_BASE_PATH = "/sui";

const ABOUT = `A development chain: it stands in for a Sui full node, on this machine only.

POST /sui/sui.rpc.v2.<Service>/<Method>   gRPC-web; the base URL for SuiGrpcClient ends with /sui
POST /faucet                              {"network": "SUI_LOCALNET", "address": "0x…", "amount": "1000000000"}
GET /control/health
GET /control/calls                        calls of each method since the start; DELETE sets them to zero
POST /control/epoch                       {"advance": 1, "referenceGasPrice"?: "1000"}
POST /control/fault                       {"method": "TransactionExecutionService/ExecuteTransaction",
                                           "mode": "drop_after_commit" | "unavailable_before_commit" | "unavailable",
                                           "times": 1, "delayMs"?: 0}; DELETE takes all faults back
`;

const FaucetRequest = z.strictObject({
  network: z.literal("SUI_LOCALNET"),
  address: z.string().regex(/^0x[0-9a-f]{64}$/, "must be 0x and 64 lower-case hex digits"),
  amount: z
    .string()
    .regex(/^[1-9]\d{0,18}$/, "must be a positive decimal string of MIST")
    .transform(BigInt)
    .refine((amount) => amount <= MAX_FAUCET_MIST, `must be at most ${MAX_FAUCET_MIST}`),
});

export interface DevChainOptions {
  readonly sql: Sql;
  readonly nowMs: () => number;
  readonly epochDurationMs: bigint;
}

export interface DevChain {
  readonly sui: SuiNode;
  fetch(request: Request): Promise<Response>;
}

/** Opens the development chain on a storage; everything but call counts and faults survives a restart. */
export async function openDevChain(options: DevChainOptions): Promise<DevChain> {
  const controls = createControls();
  const sui = await openSuiNode({ ...options, controls });
  return { sui, fetch: (request) => route(sui, controls, request) };
}

async function route(sui: SuiNode, controls: Controls, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith(`${SUI_BASE_PATH}/`) && request.method === "POST") {
    return sui.serve(pathname.slice(SUI_BASE_PATH.length), request);
  }
  switch (`${request.method} ${pathname}`) {
    case "GET /":
      return new Response(ABOUT, { headers: { "content-type": "text/plain; charset=utf-8" } });
    case "POST /faucet":
      return payFromFaucet(sui, request);
    case "GET /control/health":
      return Response.json(healthOf(sui));
    case "GET /control/calls":
      return Response.json(controls.calls());
    case "DELETE /control/calls":
      controls.clearCalls();
      return Response.json({});
    case "POST /control/epoch":
      return changeEpoch(sui, request);
    case "POST /control/fault":
      return orderFault(controls, request);
    case "DELETE /control/fault":
      controls.clearFaults();
      return Response.json({});
    default:
      return Response.json({ error: `no route ${request.method} ${pathname}; GET / lists them` }, { status: 404 });
  }
}

async function payFromFaucet(sui: SuiNode, request: Request): Promise<Response> {
  const body = await readBody(FaucetRequest, request);
  if (body instanceof Response) return body;
  const { digest, objectId } = await sui.faucet(body.address, body.amount);
  return Response.json({
    network: body.network,
    address: body.address,
    amount: String(body.amount),
    digest,
    objectId,
  });
}

async function changeEpoch(sui: SuiNode, request: Request): Promise<Response> {
  const body = await readBody(EpochChange, request);
  if (body instanceof Response) return body;
  sui.state.advanceEpoch(BigInt(body.advance), body.referenceGasPrice);
  return Response.json(healthOf(sui));
}

async function orderFault(controls: Controls, request: Request): Promise<Response> {
  const body = await readBody(FaultOrder, request);
  if (body instanceof Response) return body;
  if (!NODE_METHODS.has(body.method)) {
    return badRequest(`method: no method ${body.method}; for example TransactionExecutionService/ExecuteTransaction`);
  }
  controls.orderFault(body);
  return Response.json({});
}

function healthOf({ state }: SuiNode) {
  const { epoch, startMs, referenceGasPrice } = state.epoch();
  return {
    ok: true,
    sui: {
      chainId: state.chainId,
      epoch: String(epoch),
      epochStartMs: startMs,
      referenceGasPrice: String(referenceGasPrice),
      checkpoint: String(state.currentCheckpoint().sequenceNumber),
    },
  };
}

async function readBody<Schema extends z.ZodType>(
  schema: Schema,
  request: Request,
): Promise<z.infer<Schema> | Response> {
  let json: unknown;
  try {
    json = await request.json();
  } catch {
    return badRequest("the body is not JSON");
  }
  const parsed = schema.safeParse(json);
  return parsed.success ? parsed.data : badRequest(z.prettifyError(parsed.error));
}

function badRequest(error: string): Response {
  return Response.json({ error }, { status: 400 });
}
