import { eventSchemas } from "../../observe/events.ts";
import { comment, SchemaWriter } from "./schema.ts";

/** Writes the module of the webhooks' events, from the list that the service sends from. */
export function writeEvents(): string {
  const writer = new SchemaWriter([]);
  const events = Object.entries(eventSchemas).map(([type, schema]) => ({
    type: JSON.stringify(type),
    data: writer.writeWhole(schema).type,
    doc: comment(schema.description ?? null),
  }));
  return [
    "// Written from the list of events. Do not edit.",
    comment("The data of each event, by the event's type. Amounts are decimal strings of MIST or octas.").trimEnd(),
    `export interface EventDataByType {\n${events.map(({ type, data, doc }) => `${doc}readonly ${type}: ${data};`).join("\n")}\n}`,
    "",
    comment("All types of events that this version knows.").trimEnd(),
    `export const eventTypes: readonly (keyof EventDataByType)[] = [${events.map(({ type }) => type).join(", ")}];`,
    "",
  ].join("\n");
}
