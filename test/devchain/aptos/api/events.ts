import * as z from "zod";
import { displayAddress, FRAMEWORK } from "../address.ts";
import { invalidInput, notFound } from "../errors.ts";
import { EPOCH_EVENTS } from "../genesis.ts";
import { resourceOf } from "./accounts.ts";
import { addressParam, limitQuery, numberParam, numberQuery, versionQuery } from "./parameters.ts";
import type { ApiCall, Routes } from "./route.ts";

const EventHandle = z.object({ guid: z.object({ id: z.object({ creation_num: z.string(), addr: z.string() }) }) });

/** Events by handle. Everything after the genesis emits module events, which belong to no handle. */
export const eventRoutes: Routes = {
  "GET /accounts/:address/events/:creation_number": (call) => {
    const number = numberParam(call, "creation_number");
    return { json: eventsOf(call, displayAddress(addressParam(call)), String(number)) };
  },

  "GET /accounts/:address/events/:type/:field": (call) => {
    const { type, data } = resourceOf(call);
    const { field = "" } = call.params;
    const value = Object(data)[field];
    if (value === undefined) {
      const by = `Address(${displayAddress(addressParam(call))}), Struct tag(${type}), Field name(${field})`;
      throw notFound("struct_field_not_found", "Struct Field", `${by} and Ledger version(${versionQuery(call)})`);
    }
    const handle = EventHandle.safeParse(value);
    if (!handle.success)
      throw invalidInput(
        `Deserialization error, field(${field}) type is not a EventHandle struct: unexpected end of input`,
      );
    const { addr, creation_num: number } = handle.data.guid.id;
    return { json: eventsOf(call, addr, number) };
  },
};

function eventsOf(call: ApiCall, address: string, creationNumber: string): readonly object[] {
  const [start, limit] = [Number(numberQuery(call, "start") ?? 0n), limitQuery(call)];
  const isOfEpochs = address === displayAddress(FRAMEWORK) && creationNumber === EPOCH_EVENTS.creationNumber;
  return isOfEpochs ? EPOCH_EVENTS.events.slice(start, start + limit) : [];
}
