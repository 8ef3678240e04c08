import { type EventData, type EventType, eventTypes as listed } from "../../observe/events.ts";

// The package has a file of the same exports in this place, which `shared/cli/pack/events.ts` writes from the list of
// events. So it needs no schemas.

/** The data of each event, by the event's type. */
export type EventDataByType = { readonly [Type in EventType]: EventData<Type> };

/** All types of events that this version knows. */
export const eventTypes: readonly (keyof EventDataByType)[] = listed;
