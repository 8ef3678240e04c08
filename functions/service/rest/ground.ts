import type { operationsAt, restErrorResponse } from "../../../shared/api/rest.ts";
import type { Refusal } from "../../../shared/errors.ts";
import type { discardBody } from "../../../shared/http/bounded-body.ts";
import type { isJson } from "../../../shared/http/media-type.ts";
import type { isFromPage } from "../../../shared/http/origin.ts";
import type { isBelow } from "../../../shared/http/path.ts";
import type { readRequestText, stringifyJson } from "../../../shared/rpc/json.ts";

/** The functions of the service that REST interfaces use. Their own module is loaded at the first request. */
export interface RestGround {
  readonly pageRefusal: Refusal;
  readonly maxBodyBytes: number;
  readonly operationsAt: typeof operationsAt;
  readonly restErrorResponse: typeof restErrorResponse;
  readonly isBelow: typeof isBelow;
  readonly isFromPage: typeof isFromPage;
  readonly isJson: typeof isJson;
  readonly readRequestText: typeof readRequestText;
  readonly discardBody: typeof discardBody;
  readonly stringifyJson: typeof stringifyJson;
}
