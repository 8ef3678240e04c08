import type { GrpcTypes, SuiGrpcClient } from "@mysten/sui/grpc";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { InvalidReplyError } from "../../failover.ts";
import { type ListPage, type OwnedObject, type TypeBalance, UNREADABLE } from "../node.ts";
import { givenStatus } from "./bounded-fetch.ts";
import { readOwnedObject, readTypeBalance } from "./replies.ts";

/** The most that a node lists at once; it also ends a page at 512 KiB (`sui-rpc-api`, `list_owned_objects.rs`). */
const OWNED_PAGE_SIZE = 1_000;
/** Nothing bounds the bytes of such a page, and whoever makes a coin type can make its name some 80 KiB long. */
const BALANCES_PAGE_SIZE = 20;
const OWNED_MASK = ["object_id", "object_type", "owner", "balance"];

/** Reads a page of what an address owns, whatever it is. */
export function listOwned(
  { stateService }: SuiGrpcClient,
  owner: string,
  after: Uint8Array | null,
  abort: AbortSignal,
): Promise<Outcome<ListPage<OwnedObject>>> {
  return pageAt(after, async (pageToken) => {
    const request: GrpcTypes.ListOwnedObjectsRequest = {
      owner,
      pageSize: OWNED_PAGE_SIZE,
      readMask: { paths: OWNED_MASK },
      ...pageToken,
    };
    const { objects, nextPageToken } = await stateService.listOwnedObjects(request, { abort }).response;
    return { items: objects.flatMap(orUnreadable((object) => readOwnedObject(object, owner))), next: nextPageToken };
  });
}

/** Reads a page of what an address holds, a coin type each. */
export function listBalances(
  { stateService }: SuiGrpcClient,
  owner: string,
  after: Uint8Array | null,
  abort: AbortSignal,
): Promise<Outcome<ListPage<TypeBalance>>> {
  return pageAt(after, async (pageToken) => {
    const request: GrpcTypes.ListBalancesRequest = { owner, pageSize: BALANCES_PAGE_SIZE, ...pageToken };
    const { balances, nextPageToken } = await stateService.listBalances(request, { abort }).response;
    return { items: balances.flatMap(orUnreadable((balance) => [readTypeBalance(balance)])), next: nextPageToken };
  });
}

type Asked<T> = Omit<ListPage<T>, "next"> & { readonly next: Uint8Array | undefined };

/** @returns `bad_params` if the node says that the page's token is none of its own. */
async function pageAt<T>(
  after: Uint8Array | null,
  ask: (pageToken: { readonly pageToken?: Uint8Array }) => Promise<Asked<T>>,
): Promise<Outcome<ListPage<T>>> {
  try {
    const { items, next } = await ask(after === null ? {} : { pageToken: after });
    return done({ items, next: next === undefined || next.length === 0 ? null : next });
  } catch (error) {
    if (after === null || givenStatus(error) !== "INVALID_ARGUMENT") throw error;
    return refuse("bad_params", "no node has given this place in the list: begin anew");
  }
}

/** One item that cannot be read spoils no other. */
function orUnreadable<R, T>(read: (reply: R) => readonly T[]): (reply: R) => readonly (T | typeof UNREADABLE)[] {
  return (reply) => {
    try {
      return read(reply);
    } catch (error) {
      if (!(error instanceof InvalidReplyError)) throw error;
      return [UNREADABLE];
    }
  };
}
