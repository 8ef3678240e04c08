import { normalizeStructTag } from "@mysten/sui/utils";
import { coinTypeOfBalance } from "../accounts.ts";
import { ALIAS_STATE_TYPE, ALIASES_TYPE } from "../aliases.ts";
import { allowanceFunds, RATE_LIMIT_TYPE } from "../allowances.ts";
import { CLOCK_TYPE } from "../clock-object.ts";
import { coinTypeOf, SUI_TYPE } from "../objects.ts";
import { BADGE_TYPE, COUNTER_TYPE, DEMO_COIN_TYPE, LOCKER_TYPE, PARCEL_TYPE } from "./demo-types.ts";
import { isPureType, OBJECT_ID_TYPE, vectorElement } from "./pure.ts";
import type { TypeConstraint } from "./types.ts";

type Ability = "copy" | "drop" | "key" | "store";

const PLAIN: readonly Ability[] = ["copy", "drop", "store"];
const OBJECT: readonly Ability[] = ["key", "store"];

const DATATYPES: ReadonlyMap<string, readonly Ability[]> = new Map([
  [SUI_TYPE, ["drop"]],
  [DEMO_COIN_TYPE, ["drop"]],
  [OBJECT_ID_TYPE, PLAIN],
  [RATE_LIMIT_TYPE, PLAIN],
  [CLOCK_TYPE, ["key"]],
  [ALIAS_STATE_TYPE, ["key"]],
  [ALIASES_TYPE, ["key"]],
  [COUNTER_TYPE, ["key"]],
  [BADGE_TYPE, OBJECT],
  [LOCKER_TYPE, OBJECT],
  [PARCEL_TYPE, OBJECT],
]);

/** What may be done with values of a type, or undefined when there is no such type on this chain. */
export function abilitiesOf(type: string): readonly Ability[] | undefined {
  const known = DATATYPES.get(type);
  if (known) return known;
  if (isPureType(type)) return PLAIN;
  const coinType = coinTypeOf(type);
  if (coinType !== undefined) return abilitiesOf(coinType) && OBJECT;
  const balanced = coinTypeOfBalance(type);
  if (balanced !== undefined) return abilitiesOf(balanced) && ["store"];
  const funds = allowanceFunds(type);
  if (funds !== undefined) return abilitiesOf(funds) && ["key"];
  const element = vectorElement(type);
  return element === undefined ? undefined : abilitiesOf(element)?.filter((ability) => ability !== "key");
}

export function satisfies(abilities: readonly Ability[], constraint: TypeConstraint): boolean {
  return constraint === "any" || OBJECT.every((ability) => abilities.includes(ability));
}

/** A type as it is compared here: with addresses in the long form. */
export function canonicalType(type: string): string {
  const element = vectorElement(type);
  if (element !== undefined) return `vector<${canonicalType(element)}>`;
  return type.includes("::") ? normalizeStructTag(type) : type;
}
