import { sha3_256 } from "@noble/hashes/sha3.js";
import { toHex } from "../../bytes.ts";
import type { CallCommand, Command, ScriptCommand } from "../../policy/commands.ts";
import { type EntryFunction, moveTargetOf, type Script, type TransactionPayload } from "./payload.ts";
import { typeText } from "./type-text.ts";

interface Runs {
  readonly EntryFunction?: EntryFunction | undefined;
  readonly Script?: Script | undefined;
}

/** Reads the one command that a payload runs. */
export function commandOf(payload: TransactionPayload): Command {
  switch (payload.$kind) {
    case "EntryFunction":
    case "Script":
      return runOf(payload) ?? UNKNOWN;
    case "Multisig":
      return multisig(payload.Multisig.multisigAddress, payload.Multisig.payload);
    case "Payload": {
      const { executable, extraConfig } = payload.Payload.V1;
      const { multisigAddress } = extraConfig.V1 ?? extraConfig.V2;
      return multisigAddress === null ? (runOf(executable) ?? UNKNOWN) : multisig(multisigAddress, executable);
    }
    default:
      return UNKNOWN;
  }
}

const UNKNOWN: Command = { kind: "unknown" };

function multisig(account: string, runs: Runs | null): Command {
  return { kind: "multisig", account, runs: runs === null ? null : runOf(runs) };
}

function runOf({ EntryFunction: entry, Script: script }: Runs): CallCommand | ScriptCommand | null {
  if (entry !== undefined)
    return {
      kind: "call",
      target: moveTargetOf(entry),
      typeArguments: entry.typeArguments.map(typeText),
      arguments: entry.arguments.map((bytes) => ({ kind: "pure", bytes })),
    };
  if (script !== undefined)
    return {
      kind: "script",
      codeHash: `0x${toHex(sha3_256(script.code))}`,
      typeArguments: script.typeArguments.map(typeText),
    };
  return null;
}
