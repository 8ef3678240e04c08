import type { GrpcTypes } from "@mysten/sui/grpc";
import type { Outcome } from "../../../errors.ts";
import { InvalidReplyError, isNotOf } from "../../failover.ts";
import { withValue } from "../../seen.ts";
import type { Observed } from "../coins.ts";
import type { CoinPage, PageTokens } from "../listing.ts";
import type { SuiSeen } from "../seen.ts";
import { givenStatus } from "./bounded-fetch.ts";
import type { EndpointCall, GrpcConnection } from "./connection.ts";
import { GRPC_NOT_FOUND } from "./fields.ts";
import { readCoin, readObservedCoin } from "./replies.ts";

const COIN_PAGE_SIZE = 1_000;
const SUI_COIN_TYPE = "0x2::coin::Coin<0x2::sui::SUI>";
const COIN_MASK = ["object_id", "version", "digest", "owner", "balance"];
const OBSERVED_COIN_MASK = [...COIN_MASK, "previous_transaction"];

/** Reads `SuiNode.coins`. */
export function listCoins(
  connection: GrpcConnection,
  owner: string,
  tokens: PageTokens | null,
): Promise<Outcome<CoinPage>> {
  const tokenOf = (url: string) => (tokens === null ? null : tokens.of(url));
  const ask = async (call: EndpointCall): Promise<CoinPage> => {
    const { client, url, abort } = call;
    const pageToken = tokenOf(url) ?? null;
    const request: GrpcTypes.ListOwnedObjectsRequest = {
      owner,
      objectType: SUI_COIN_TYPE,
      pageSize: COIN_PAGE_SIZE,
      readMask: { paths: COIN_MASK },
      ...(pageToken && { pageToken }),
    };
    try {
      const listed = await connection.seen(call, () => client.stateService.listOwnedObjects(request, { abort }));
      const { nextPageToken } = listed.value;
      const coins = withValue(listed, ({ objects }) => objects.flatMap((object) => readCoin(object, owner)));
      const next = nextPageToken === undefined || nextPageToken.length === 0 ? null : nextPageToken;
      return { url, coins, next };
    } catch (error) {
      tokens?.failed(url, pageToken !== null && givenStatus(error) === "INVALID_ARGUMENT");
      throw error;
    }
  };
  return connection.read("coins", ask, { isAsked: (url) => tokenOf(url) !== undefined });
}

/** Reads `SuiNode.observeCoins`. */
export function observeCoins(
  connection: GrpcConnection,
  objectIds: readonly string[],
  besides?: string | readonly string[],
): Promise<Outcome<SuiSeen<readonly Observed[]>>> {
  const request = {
    requests: objectIds.map((objectId) => ({ objectId })),
    readMask: { paths: OBSERVED_COIN_MASK },
  };
  const ask = async (call: EndpointCall): Promise<SuiSeen<readonly Observed[]>> => {
    const { client, url, abort } = call;
    const observed = await connection.seen(call, () => client.ledgerService.batchGetObjects(request, { abort }));
    if (observed.value.objects.length !== objectIds.length)
      throw new InvalidReplyError("the node answered another number of objects");
    const readOne = ({ result }: GrpcTypes.GetObjectResult) => readObserved(result);
    return withValue(observed, ({ objects }) =>
      connection.readEach<GrpcTypes.GetObjectResult, Observed>(url, "one coin", objects, readOne, "no_answer"),
    );
  };
  return connection.read("observeCoins", ask, { isAsked: isNotOf(besides) });
}

function readObserved(result: GrpcTypes.GetObjectResult["result"]): Observed {
  if (result.oneofKind === "error") return result.error.code === GRPC_NOT_FOUND ? null : "no_answer";
  return result.oneofKind === "object" ? readObservedCoin(result.object) : "no_answer";
}
