import { keysOfRequest } from "../../shared/access/admission.ts";
import { operationsAt, type RestContract, restErrorResponse } from "../../shared/api/rest.ts";
import type { AppEnv } from "../../shared/http/app.ts";
import { bearerOf } from "../../shared/http/bearer.ts";
import { discardBody } from "../../shared/http/bounded-body.ts";
import { Hono } from "../../shared/http/hono.ts";
import { isJson } from "../../shared/http/media-type.ts";
import { isFromPage, PAGE_REFUSAL } from "../../shared/http/origin.ts";
import { isBelow } from "../../shared/http/path.ts";
import { answerCalls } from "../../shared/rpc/answer-calls.ts";
import { type FundCallContext, type Handler, methodTable } from "../../shared/rpc/handler.ts";
import { MAX_BODY_BYTES, readRequestText, stringifyJson } from "../../shared/rpc/json.ts";
import { endpointFor, type ServiceParts } from "./endpoint.ts";
import type { RestGround } from "./rest/ground.ts";

/** A REST interface of the service, and one handler for each of its operations. A fund can admit all of them. */
export interface RestApi {
  readonly contract: RestContract;
  readonly handlers: readonly Handler<FundCallContext>[];
}

/** The lazily loaded module receives the parts of the service that it needs, so that it alone is loaded. */
const ground: RestGround = {
  pageRefusal: PAGE_REFUSAL,
  maxBodyBytes: MAX_BODY_BYTES,
  operationsAt,
  restErrorResponse,
  isBelow,
  isFromPage,
  isJson,
  readRequestText,
  discardBody,
  stringifyJson,
};

/** Creates the app of a REST interface, to be mounted at its path. */
export function createRestApp(parts: ServiceParts, { contract, handlers }: RestApi): Hono<AppEnv> {
  const { chain, path } = contract;
  const table = methodTable(handlers);
  const served = { chain, handlers: table, atFund: table };
  const app = new Hono<AppEnv>();
  app.all("*", async (c) => {
    const { answerRest } = await import("./rest/answer.ts");
    const request = c.req.raw;
    const keys = [...keysOfRequest(request, null), bearerOf(request.headers)].flatMap((key) => key ?? []);
    const answered = await answerRest(request, contract, ground, (call) =>
      answerCalls([call], request.headers, endpointFor(c, parts, served, { keys, path })),
    );
    c.set("rpc", answered);
    return answered.response;
  });
  return app;
}
