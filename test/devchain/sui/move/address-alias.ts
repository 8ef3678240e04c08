import { bcs } from "@mysten/sui/bcs";
import { ALIAS_STATE_TYPE, ALIASES_TYPE, Aliases, aliasesId } from "../aliases.ts";
import { addObject, type LiveObject } from "../workspace.ts";
import { FRAMEWORK } from "./balance.ts";
import { readAddress } from "./data.ts";
import { ADDRESS, byValue, datatype, type MoveCall, type MoveFunction, mutable, vectorOf } from "./types.ts";

const ALIASES = datatype(ALIASES_TYPE);
const MAX_ALIASES = 8;

/** Abort codes of sui-framework address_alias.move. */
const ENoSuchAlias = 1n;
const EAliasAlreadyExists = 2n;
const ECannotRemoveLastAlias = 3n;
const ETooManyAliases = 4n;

/** The entry functions of `0x2::address_alias`. */
export const ALIAS_FUNCTIONS: readonly MoveFunction[] = [
  aliasFunction({
    name: "initialize",
    index: 1,
    parameters: [mutable(datatype(ALIAS_STATE_TYPE))],
    takesContext: true,
    run: (call) => {
      const { sender, senderHasAliases } = call.workspace;
      const id = aliasesId(sender);
      if (senderHasAliases || call.workspace.created.has(id)) call.abort(EAliasAlreadyExists);
      addObject(call.workspace, {
        id,
        type: ALIASES_TYPE,
        hasPublicTransfer: false,
        owner: { kind: "party", address: sender, startVersion: 0n },
        contents: Aliases.serialize({ id, aliases: [sender] }).toBytes(),
      });
      return [];
    },
  }),
  aliasFunction({
    name: "add",
    index: 2,
    parameters: [mutable(ALIASES), byValue(ADDRESS)],
    run: (call) => {
      const alias = readAddress(call.bytes(1));
      const aliases = aliasesOf(call.object(0));
      if (aliases.includes(alias)) call.abort(EAliasAlreadyExists);
      return put(call, [...aliases, alias]);
    },
  }),
  aliasFunction({
    name: "replace_all",
    index: 3,
    parameters: [mutable(ALIASES), byValue(vectorOf(ADDRESS))],
    run: (call) => put(call, bcs.vector(bcs.Address).parse(call.bytes(1))),
  }),
  aliasFunction({
    name: "remove",
    index: 4,
    parameters: [mutable(ALIASES), byValue(ADDRESS)],
    run: (call) => {
      const alias = readAddress(call.bytes(1));
      const aliases = aliasesOf(call.object(0));
      if (!aliases.includes(alias)) call.abort(ENoSuchAlias);
      return put(
        call,
        aliases.filter((one) => one !== alias),
      );
    },
  }),
];

function aliasesOf({ contents }: LiveObject): readonly string[] {
  return Aliases.parse(contents).aliases;
}

function put(call: MoveCall, aliases: readonly string[]): [] {
  if (aliases.length === 0) call.abort(ECannotRemoveLastAlias);
  if (aliases.length > MAX_ALIASES) call.abort(ETooManyAliases);
  const object = call.object(0);
  object.contents = Aliases.serialize({ id: object.id, aliases: [...aliases] }).toBytes();
  return [];
}

function aliasFunction(
  shape: Pick<MoveFunction, "name" | "index" | "parameters" | "run"> & Partial<Pick<MoveFunction, "takesContext">>,
): MoveFunction {
  return {
    package: FRAMEWORK,
    module: "address_alias",
    isEntry: true,
    typeParameters: [],
    returns: [],
    takesContext: false,
    ...shape,
  };
}
