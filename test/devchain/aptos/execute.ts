import { displayAddress, ZERO_ADDRESS } from "./address.ts";
import { type Called, type Charge, charge, type GasSchedule } from "./gas.ts";
import { accountAt, findAccount, putAccount } from "./move/account.ts";
import { aptBalance, changeAptSupply, hasAptStore, setAptBalance } from "./move/fungible.ts";
import { runTransaction, targetOf } from "./move/run.ts";
import {
  createWorld,
  ExecutionFailure,
  type ItemChange,
  type MoveEvent,
  type ReadItem,
  type World,
} from "./move/world.ts";
import { feePayerOf, type Signed } from "./signed.ts";

export interface Output {
  readonly success: boolean;
  readonly vmStatus: string;
  readonly gasUsed: bigint;
  readonly events: readonly MoveEvent[];
  readonly changes: readonly ItemChange[];
}

const EXECUTED = "Executed successfully";
/** It costs all that was offered. The fee statement also shows what its storage would have cost (recorded). */
class OutOfGas extends ExecutionFailure {
  readonly storageFeeOctas: bigint;

  constructor(storageFeeOctas: bigint) {
    super("Out of gas");
    this.storageFeeOctas = storageFeeOctas;
  }
}
/** transaction_validation.move: the payload has spent what the gas was to be paid with. */
const CANNOT_PAY = new ExecutionFailure(
  "Move abort in 0x1::transaction_validation: PROLOGUE_ECANT_PAY_GAS_DEPOSIT(0x203ed): ",
);

/**
 * Runs a transaction that the prologue lets pass, and charges for it. One that fails leaves nothing of what it did but is
 * charged for all the same; its sender's account, where it had to be made, stays made, and its number is used up.
 */
export function execute(signed: Signed, read: ReadItem, gas: GasSchedule): Output {
  const whole = createWorld(read, gas);
  const hasStore = hasAptStore({ get: read }, signed.sender);
  const called = (hasFailed: boolean): Called => ({ id: targetOf(signed.executable).id, hasFailed, hasStore });
  try {
    begin(whole, signed);
    runTransaction(whole, signed.executable, signersOf(signed));
    return finish(whole, signed, called(false), gas, undefined);
  } catch (error) {
    if (!(error instanceof ExecutionFailure)) throw error;
    const onlyCharged = createWorld(read, gas);
    begin(onlyCharged, signed);
    return finish(onlyCharged, signed, called(!(error instanceof OutOfGas)), gas, error);
  }
}

function signersOf({ sender, secondaries }: Signed) {
  return [sender, ...secondaries.map(({ address }) => address)];
}

/** The sender gets its account before its payload runs, unless a nonce stands in the place of its number. */
function begin(world: World, { sender, nonce }: Signed): void {
  if (nonce === undefined && findAccount(world, sender) === undefined)
    putAccount(world, sender, accountAt(world, sender));
}

/** The epilogue. @throws ExecutionFailure when a payload that ran cannot be paid for. */
function finish(
  world: World,
  signed: Signed,
  called: Called,
  gas: GasSchedule,
  failure: ExecutionFailure | undefined,
): Output {
  const { raw, sender, nonce } = signed;
  const account = accountAt(world, sender);
  if (nonce === undefined) putAccount(world, sender, { ...account, sequenceNumber: account.sequenceNumber + 1n });

  const storage = world.storage();
  const bill = charge(gas, { transactionBytes: signed.bytes.length, called }, storage, raw.gas_unit_price);
  if (bill.gasUsed > raw.max_gas_amount && failure === undefined) throw new OutOfGas(storage.feeOctas);
  // A failure that is itself about gas costs all that was offered.
  const isOutOfGas = failure instanceof OutOfGas;
  const gasUsed = isOutOfGas || bill.gasUsed > raw.max_gas_amount ? raw.max_gas_amount : bill.gasUsed;
  settleFee(world, signed, gasUsed, storage.refundOctas, failure);
  emitFeeStatement(world, { ...bill, gasUsed, ...(isOutOfGas && { storageFeeOctas: failure.storageFeeOctas }) });
  return {
    success: failure === undefined,
    vmStatus: failure?.vmStatus ?? EXECUTED,
    gasUsed,
    events: world.events,
    changes: world.changes(),
  };
}

function settleFee(
  world: World,
  signed: Signed,
  gasUsed: bigint,
  refundOctas: bigint,
  failure: ExecutionFailure | undefined,
): void {
  const payer = feePayerOf(signed);
  const feeOctas = gasUsed * signed.raw.gas_unit_price;
  changeAptSupply(world, refundOctas - feeOctas);
  // Simulated for a fee payer that is not known yet: nobody pays.
  if (payer === ZERO_ADDRESS) return;
  const balance = aptBalance(world, payer);
  if (balance < feeOctas) {
    if (failure === undefined) throw CANNOT_PAY;
    throw new Error(`${displayAddress(payer)} cannot pay for a transaction that was admitted`);
  }
  setAptBalance(world, payer, balance - feeOctas + refundOctas);
}

function emitFeeStatement(world: World, bill: Charge): void {
  world.emit("0x1::transaction_fee::FeeStatement", {
    execution_gas_units: String(bill.executionUnits),
    io_gas_units: String(bill.ioUnits),
    storage_fee_octas: String(bill.storageFeeOctas),
    storage_fee_refund_octas: String(bill.storageRefundOctas),
    total_charge_gas_units: String(bill.gasUsed),
  });
}
