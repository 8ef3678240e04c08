import { bcs } from "@mysten/sui/bcs";
import { normalizeStructTag, normalizeSuiAddress } from "@mysten/sui/utils";
import {
  Allowance,
  AllowanceCap,
  type AllowanceFields,
  allowanceCapType,
  allowanceType,
  RATE_LIMIT_TYPE,
  RateLimit,
} from "../allowances.ts";
import { CLOCK_TYPE, Clock } from "../clock-object.ts";
import { createObject, transferObject } from "../workspace.ts";
import { BALANCE, balanceValue, FRAMEWORK, redeem } from "./balance.ts";
import { readAddress, readU64, u64Value } from "./data.ts";
import { STRING_TYPE } from "./pure.ts";
import {
  ADDRESS,
  byValue,
  datatype,
  immutable,
  type MoveCall,
  type MoveFunction,
  type MoveType,
  mutable,
  typeParameter,
  U64,
} from "./types.ts";

const STANDARD_LIBRARY = normalizeSuiAddress("0x1");
const OPTION = normalizeStructTag("0x1::option::Option");
const U256: MoveType = { kind: "primitive", name: "u256" };
const RATE_LIMIT = datatype(RATE_LIMIT_TYPE);
const CLOCK = datatype(CLOCK_TYPE);
const ALLOWANCE_OF_BALANCE = datatype("0x2::allowance::Allowance", BALANCE);
const WITHDRAWAL_OF_BALANCE = datatype("0x2::allowance::AllowanceWithdrawal", BALANCE);

/** Abort codes of sui-framework allowance.move. Function indexes are modelled. */
const EExpired = 2n;
const EExceedsLifetimeCap = 3n;
const EExceedsRateLimit = 4n;
const ENoLimit = 5n;
const EWrongAllowance = 6n;
const EBadRateLimit = 7n;
const ENotStarted = 8n;
const ENameTooLong = 12n;
const EZeroLifetimeCap = 13n;
const EBadTimeWindow = 14n;
const ENoExpiration = 15n;
const ENotEnabled = 16n;
const MAX_NAME_BYTES = 128;

/**
 * The functions of `0x2::allowance` that a user calls, and the clock and the options that they take. Apps, windows of
 * calendar months and `revoke` are missing.
 */
export const ALLOWANCE_FUNCTIONS: readonly MoveFunction[] = [
  {
    ...allowanceFunction("new", 0),
    isEntry: true,
    typeParameters: ["any"],
    parameters: [
      byValue(datatype(STRING_TYPE)),
      byValue(ADDRESS),
      byValue(optionOf(U256)),
      byValue(optionOf(U64)),
      byValue(optionOf(U64)),
      byValue(optionOf(RATE_LIMIT)),
    ],
    takesContext: true,
    run: issue,
  },
  {
    ...allowanceFunction("periodic_rate_limit", 1),
    parameters: [byValue(U64), byValue(U256)],
    returns: [RATE_LIMIT],
    run: (call) => {
      const [period, limit] = [readU64(call.bytes(0)), BigInt(bcs.u256().parse(call.bytes(1)))];
      if (period === 0n || limit === 0n) call.abort(EBadRateLimit);
      const windowed = { limit, spent: 0n, anchorMs: null, index: 0n, window: { PeriodicMs: period } };
      return [{ kind: "data", type: RATE_LIMIT_TYPE, bytes: RateLimit.serialize({ Windowed: windowed }).toBytes() }];
    },
  },
  {
    ...allowanceFunction("balance_spend", 2),
    typeParameters: ["any"],
    parameters: [mutable(ALLOWANCE_OF_BALANCE), byValue(WITHDRAWAL_OF_BALANCE), immutable(CLOCK)],
    returns: [BALANCE],
    takesContext: true,
    run: spend,
  },
  {
    ...allowanceFunction("timestamp_ms", 0),
    module: "clock",
    parameters: [immutable(CLOCK)],
    returns: [U64],
    run: (call) => [u64Value(readClock(call, 0))],
  },
  ...(["none", "some"] as const).map((name, index): MoveFunction => {
    const element = typeParameter(0);
    return {
      ...allowanceFunction(name, index),
      package: STANDARD_LIBRARY,
      module: "option",
      typeParameters: ["any"],
      parameters: name === "none" ? [] : [byValue(element)],
      returns: [optionOf(element)],
      run: (call) => {
        const type = `${OPTION}<${call.typeArguments[0] ?? ""}>`;
        const bytes = name === "none" ? Uint8Array.of(0) : Uint8Array.of(1, ...call.bytes(0));
        return [{ kind: "data", type, bytes }];
      },
    };
  }),
];

function optionOf(type: MoveType): MoveType {
  return datatype(OPTION, type);
}

function allowanceFunction(name: string, index: number): Omit<MoveFunction, "run"> {
  return {
    package: FRAMEWORK,
    module: "allowance",
    name,
    index,
    isEntry: false,
    typeParameters: [],
    parameters: [],
    returns: [],
    takesContext: false,
  };
}

function issue(call: MoveCall): [] {
  const { workspace } = call;
  const [fundsType = ""] = call.typeArguments;
  const settings = {
    funder: workspace.sender,
    spender: readAddress(call.bytes(1)),
    app: null,
    lifetimeCap: bcs.option(bcs.u256()).parse(call.bytes(2)),
    startTimestampMs: bcs.option(bcs.u64()).parse(call.bytes(3)),
    expirationTimestampMs: bcs.option(bcs.u64()).parse(call.bytes(4)),
    rateLimit: bcs.option(RateLimit).parse(call.bytes(5)),
    name: bcs.string().parse(call.bytes(0)),
    currentSpend: 0n,
  };
  checkSettings(call, settings);
  const allowance = createObject(workspace, {
    type: allowanceType(fundsType),
    hasPublicTransfer: false,
    contents: (id) => Allowance.serialize({ id, ...settings }).toBytes(),
  });
  const cap = createObject(workspace, {
    type: allowanceCapType(fundsType),
    hasPublicTransfer: false,
    contents: (id) => AllowanceCap.serialize({ id, allowance: allowance.id }).toBytes(),
  });
  transferObject(cap, workspace.sender);
  allowance.owner = { kind: "shared", initialSharedVersion: 0n };
  return [];
}

type Bounds = Pick<
  AllowanceFields,
  "lifetimeCap" | "startTimestampMs" | "expirationTimestampMs" | "rateLimit" | "name"
>;

function checkSettings(
  call: MoveCall,
  { lifetimeCap, startTimestampMs: start, expirationTimestampMs: end, rateLimit, name }: Bounds,
): void {
  if (!call.workspace.context.protocol.allowances) call.abort(ENotEnabled);
  if (lifetimeCap === null && rateLimit === null) call.abort(ENoLimit);
  if (end === null && rateLimit === null) call.abort(ENoExpiration);
  if (new TextEncoder().encode(name).length > MAX_NAME_BYTES) call.abort(ENameTooLong);
  if (lifetimeCap !== null && BigInt(lifetimeCap) === 0n) call.abort(EZeroLifetimeCap);
  if (start !== null && end !== null && BigInt(start) >= BigInt(end)) call.abort(EBadTimeWindow);
}

/** Validators have checked funder, spender and type before (`whyNotAllowed`). */
function spend(call: MoveCall) {
  const object = call.object(0);
  const { allowance, amount } = call.withdrawal(1);
  const fields = Allowance.parse(object.contents);
  if (allowance !== object.id) call.abort(EWrongAllowance);
  const nowMs = readClock(call, 2);
  const { startTimestampMs, expirationTimestampMs, lifetimeCap, rateLimit } = fields;
  if (startTimestampMs !== null && nowMs < BigInt(startTimestampMs)) call.abort(ENotStarted);
  if (expirationTimestampMs !== null && nowMs >= BigInt(expirationTimestampMs)) call.abort(EExpired);
  const currentSpend = BigInt(fields.currentSpend) + amount;
  if (lifetimeCap !== null && currentSpend > BigInt(lifetimeCap)) call.abort(EExceedsLifetimeCap);
  const charged = rateLimit === null ? null : charge(call, rateLimit.Windowed, { amount, nowMs });
  object.contents = Allowance.serialize({ ...fields, currentSpend, rateLimit: charged }).toBytes();
  return [balanceValue(call, redeem(call, 1))];
}

type Windowed = (typeof RateLimit.$inferType)["Windowed"];

/** The first charge anchors the windows (allowance.move: `charge`). */
function charge(call: MoveCall, limit: Windowed, { amount, nowMs }: { amount: bigint; nowMs: bigint }) {
  const anchorMs = limit.anchorMs === null ? nowMs : BigInt(limit.anchorMs);
  const period = BigInt(limit.window.PeriodicMs ?? 0);
  if (period === 0n) throw new Error("an allowance has windows that this chain does not make");
  const current = (nowMs - anchorMs) / period;
  const isLater = current > BigInt(limit.index);
  const spent = (isLater ? 0n : BigInt(limit.spent)) + amount;
  if (spent > BigInt(limit.limit)) call.abort(EExceedsRateLimit);
  const index = isLater ? current : limit.index;
  return { Windowed: { limit: limit.limit, spent, anchorMs, index, window: { PeriodicMs: period } } };
}

function readClock(call: MoveCall, index: number): bigint {
  return BigInt(Clock.parse(call.object(index).contents).timestamp_ms);
}
