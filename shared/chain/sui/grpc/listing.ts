import type { GrpcTypes } from "@mysten/sui/grpc";
import { done, type Outcome, refuse } from "../../../errors.ts";
import { InvalidReplyError } from "../../failover.ts";
import { type ListPage, type OwnedObject, type TypeBalance, UNREADABLE } from "../listing.ts";
import { givenStatus } from "./bounded-fetch.ts";
import type { EndpointCall } from "./connection.ts";
import { readOwnedObject, readTypeBalance } from "./replies.ts";

/** The most items in one page of a node, which also ends a page at 512 KiB (`sui-rpc-api`, `list_owned_objects.rs`). */
const OWNED_PAGE_SIZE = 1_000;
/** A node does not bound the bytes of such a page, and the name of a coin type can take 80 KiB. */
const BALANCES_PAGE_SIZE = 20;
const OWNED_MASK = ["object_id", "object_type", "owner", "balance"];

/** Reads a page of the objects that an address owns, of every type. */
export function listOwned(
  { client: { stateService }, abort }: EndpointCall,
  owner: string,
  after: Uint8Array | null,
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

/** Reads a page of an address' balances, one for each coin type. */
export function listBalances(
  { client: { stateService }, abort }: EndpointCall,
  owner: string,
  after: Uint8Array | null,
): Promise<Outcome<ListPage<TypeBalance>>> {
  return pageAt(after, async (pageToken) => {
    const request: GrpcTypes.ListBalancesRequest = { owner, pageSize: BALANCES_PAGE_SIZE, ...pageToken };
    const { balances, nextPageToken } = await stateService.listBalances(request, { abort }).response;
    return { items: balances.flatMap(orUnreadable((balance) => [readTypeBalance(balance)])), next: nextPageToken };
  });
}

type Page<T> = Omit<ListPage<T>, "next"> & { readonly next: Uint8Array | undefined };

/** @returns `bad_params` if the node does not accept the token of the page. */
async function pageAt<T>(
  after: Uint8Array | null,
  ask: (pageToken: { readonly pageToken?: Uint8Array }) => Promise<Page<T>>,
): Promise<Outcome<ListPage<T>>> {
  try {
    const { items, next } = await ask(after === null ? {} : { pageToken: after });
    return done({ items, next: next === undefined || next.length === 0 ? null : next });
  } catch (error) {
    if (after === null || givenStatus(error) !== "INVALID_ARGUMENT") throw error;
    return refuse("bad_params", "no node accepts this cursor: request the first page");
  }
}

/** Reads an item. An unreadable item affects no other. */
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
