import { GrpcTypes } from "@mysten/sui/grpc";
import { normalizeStructTag } from "@mysten/sui/utils";
import * as z from "zod";
import { type Balance, balanceOf, balancesOf } from "../balances.ts";
import { SUPPLY_MIST } from "../genesis.ts";
import { applyMask, parseMask } from "../masks.ts";
import { DEMO_COIN_TYPE } from "../move/demo-types.ts";
import { SUI_TYPE } from "../objects.ts";
import { objectProto } from "../proto.ts";
import { invalidArgument, notFound } from "../status.ts";
import { parseAddress } from "../transaction.ts";
import type { ChainView } from "../view.ts";
import { type Methods, unary } from "./method.ts";

/** The types of coins that this chain has. */
const COIN_TYPES: ReadonlySet<string> = new Set([SUI_TYPE, DEMO_COIN_TYPE]);

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 1_000;
const OWNED_OBJECT_MASK = ["object_id", "version", "object_type"];

const OwnedObjectsToken = z.strictObject({
  owner: z.string(),
  filter: z.string().optional(),
  after: z.strictObject({ type: z.string(), negativeBalance: z.string().regex(/^-?\d{1,19}$/), id: z.string() }),
});
const BalancesToken = z.strictObject({ owner: z.string(), after: z.string() });

export function stateService(view: () => ChainView): Methods {
  return {
    "StateService/ListOwnedObjects": unary(
      GrpcTypes.ListOwnedObjectsRequest,
      GrpcTypes.ListOwnedObjectsResponse,
      (request) => {
        const owner = parseAddress("owner", request.owner);
        const filter = request.objectType ? parseType("object_type", request.objectType) : undefined;
        const mask = parseMask(GrpcTypes.Object, [
          // Every listed object has its id, whatever the mask says (recorded, 1.62).
          "object_id",
          ...(request.readMask?.paths ?? OWNED_OBJECT_MASK),
        ]);
        const token = readToken(OwnedObjectsToken, request.pageToken);
        if (token && (token.owner !== owner || token.filter !== filter)) throw invalidArgument("invalid page_token");
        const page = view().store.ownedObjects(owner, filter, token?.after, pageSize(request.pageSize));
        return {
          objects: page.objects.map((object) => applyMask(GrpcTypes.Object, objectProto(object, mask), mask)),
          ...(page.next && { nextPageToken: writeToken({ owner, filter, after: page.next }) }),
        };
      },
    ),

    "StateService/GetBalance": unary(GrpcTypes.GetBalanceRequest, GrpcTypes.GetBalanceResponse, (request) => {
      const owner = parseAddress("owner", request.owner);
      const coinType = parseType("coin_type", request.coinType);
      if (!COIN_TYPES.has(coinType)) throw invalidArgument(`coin type does not exist: ${coinType}`);
      return { balance: balanceProto(balanceOf(view().store, owner, coinType)) };
    }),

    "StateService/ListBalances": unary(GrpcTypes.ListBalancesRequest, GrpcTypes.ListBalancesResponse, (request) => {
      const owner = parseAddress("owner", request.owner);
      const token = readToken(BalancesToken, request.pageToken);
      if (token && token.owner !== owner) throw invalidArgument("invalid page_token");
      const size = pageSize(request.pageSize);
      const balances = balancesOf(view().store, owner, token?.after, size + 1);
      const shown = balances.slice(0, size);
      const last = shown.at(-1);
      return {
        balances: shown.map(balanceProto),
        ...(balances.length > size && last && { nextPageToken: writeToken({ owner, after: last.coinType }) }),
      };
    }),

    "StateService/GetCoinInfo": unary(GrpcTypes.GetCoinInfoRequest, GrpcTypes.GetCoinInfoResponse, (request) => {
      const coinType = parseType("coin_type", request.coinType);
      if (coinType !== SUI_TYPE) throw notFound(`Coin type ${coinType} not found`);
      return GrpcTypes.GetCoinInfoResponse.create({
        coinType,
        metadata: { decimals: 9, name: "Sui", symbol: "SUI", description: "", iconUrl: "" },
        treasury: { totalSupply: SUPPLY_MIST, supplyState: GrpcTypes.CoinTreasury_SupplyState.FIXED },
      });
    }),

    // No object of this chain has dynamic fields.
    "StateService/ListDynamicFields": unary(
      GrpcTypes.ListDynamicFieldsRequest,
      GrpcTypes.ListDynamicFieldsResponse,
      ({ parent, readMask, pageToken }) => {
        parseAddress("parent", parent);
        parseMask(GrpcTypes.DynamicField, readMask?.paths ?? []);
        if (pageToken !== undefined) throw invalidArgument("invalid page_token");
        return { dynamicFields: [] };
      },
    ),
  };
}

/** A part that is zero is left out (sui-rpc-api, get_balance.rs). */
function balanceProto({ coinType, inCoins, inFunds }: Balance): GrpcTypes.Balance {
  return {
    coinType,
    balance: inCoins + inFunds,
    ...(inCoins > 0n && { coinBalance: inCoins }),
    ...(inFunds > 0n && { addressBalance: inFunds }),
  };
}

function pageSize(requested: number | undefined): number {
  return requested ? Math.min(requested, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
}

function parseType(field: string, text: string | undefined): string {
  try {
    return normalizeStructTag(text ?? "");
  } catch {
    throw invalidArgument(`invalid ${field}: TypeParseError { source: ${JSON.stringify(text ?? "")} }`);
  }
}

function writeToken(token: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(token));
}

function readToken<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array | undefined,
): z.infer<Schema> | undefined {
  if (bytes === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    throw invalidArgument("invalid page_token");
  }
}
