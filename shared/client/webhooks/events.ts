import { type EventData, type EventType, eventTypes as listed } from "../../observe/events.ts";

// A file with the same exports replaces this one in the package. `shared/cli/pack/events.ts` writes it from the list of
// events, so that the package needs no schemas.

/** The data of each event, by the event's type. */
export type EventDataByType = { readonly [Type in EventType]: EventData<Type> };

/** All types of events that this version knows. */
export const eventTypes: readonly (keyof EventDataByType)[] = listed;
