import type { AptosFundStore } from "../aptos/store.ts";
import type { SuiFundStore } from "../sui/store.ts";
import type { FundMode } from "../views.ts";
import type { FundBooks } from "./books.ts";

/**
 * Returns the amount that the operator may withdraw or use for sponsorships, on any chain, atoms.
 *
 * @param reserveAtoms the amount set aside for the gas of the fund's treasury transactions.
 * @param leavingAtoms the amount that pending treasury transactions pay out, beside accrued fees.
 */
function availableAtoms(books: FundBooks, reserveAtoms: bigint, leavingAtoms: bigint): bigint {
  const { balanceAtoms, inFlightAtoms, accruedFeesAtoms } = books.totals();
  return balanceAtoms - inFlightAtoms - accruedFeesAtoms - reserveAtoms - leavingAtoms;
}

/**
 * The reserve of an Aptos fund's balance for the gas of treasury transactions. It pays several transfers, even those
 * that create accounts or stores.
 */
const APTOS_RESERVE_OCTAS = 2_000_000n;

/** Returns the amount set aside for the gas of an Aptos fund's treasury transactions, octas. */
export function maintenanceReserveOctas(store: AptosFundStore): bigint {
  const { balanceAtoms: balanceOctas } = store.totals();
  return balanceOctas < APTOS_RESERVE_OCTAS ? balanceOctas : APTOS_RESERVE_OCTAS;
}

/** Returns the amount that an Aptos fund's operator may withdraw or use for sponsorships, octas. */
export function availableOctas(store: AptosFundStore): bigint {
  const pending = store.pendingTreasury();
  const leavingOctas = pending === null ? 0n : pending.amountAtoms - pending.collectedFeesAtoms;
  return availableAtoms(store, maintenanceReserveOctas(store), leavingOctas);
}

/** The reserve of an address-balance fund for the gas of its treasury transactions. */
const ADDRESS_BALANCE_RESERVE_MIST = 10_000_000n;

/** Returns the amount set aside for the gas of a Sui fund's treasury transactions, MIST. */
export function maintenanceReserveMist(store: SuiFundStore, mode: FundMode): bigint {
  if (mode === "coin") return store.maintenanceCoins().reduce((sum, { balanceMist }) => sum + balanceMist, 0n);
  const { addressBalanceAtoms: addressBalanceMist } = store.totals();
  return addressBalanceMist < ADDRESS_BALANCE_RESERVE_MIST ? addressBalanceMist : ADDRESS_BALANCE_RESERVE_MIST;
}

/**
 * Sums the amounts that pending treasury transactions pay out, MIST. Collected fees stay accrued until they have gone.
 * They are deducted here, so that they are not counted twice.
 */
function leavingMist(store: SuiFundStore): bigint {
  return store
    .pendingTreasury()
    .reduce((sum, { paidOutMist, collectedFeesMist }) => sum + paidOutMist - collectedFeesMist, 0n);
}

/** Returns the money in the form that pays for nothing before its conversion, MIST. */
export function unconvertedMist(store: SuiFundStore, mode: FundMode): bigint {
  const { balanceAtoms: balanceMist, addressBalanceAtoms: addressBalanceMist } = store.totals();
  return mode === "coin" ? addressBalanceMist : balanceMist - addressBalanceMist;
}

/**
 * Returns the amount that the operator may withdraw now or use for sponsorships, MIST. Counts only money in the form
 * that pays.
 */
export function availableMist(store: SuiFundStore, mode: FundMode): bigint {
  return availableAtoms(store, maintenanceReserveMist(store, mode), leavingMist(store)) - unconvertedMist(store, mode);
}

/**
 * Returns the amount that new sponsorships may still use, MIST. In coin mode, the locked coin decides in the end. In
 * address-balance mode a sponsorship is only a number, so all amounts that may still leave the balance are deducted
 * here.
 */
export function sponsorableMist(store: SuiFundStore, mode: FundMode): bigint {
  const {
    balanceAtoms: balanceMist,
    addressBalanceAtoms: addressBalanceMist,
    inFlightAtoms: inFlightMist,
    accruedFeesAtoms: accruedFeesMist,
  } = store.totals();
  const formMist = mode === "coin" ? balanceMist : addressBalanceMist;
  const restMist = formMist - inFlightMist - accruedFeesMist - maintenanceReserveMist(store, mode);
  return restMist - (mode === "coin" ? leavingMist(store) : promisedToOwnMist(store));
}

/**
 * Returns the amount that pending treasury transactions may take from the address balance, beside accrued fees.
 * The reserve pays their gas. Gas beyond it is promised, too, if many are pending at once.
 */
function promisedToOwnMist(store: SuiFundStore): bigint {
  return store
    .pendingTreasury()
    .reduce(
      (sum, { fromAddressBalanceMist, collectedFeesMist }) =>
        sum + (fromAddressBalanceMist > 0n ? fromAddressBalanceMist : 0n) - collectedFeesMist,
      gasBeyondReserveMist(store, 0n),
    );
}

/**
 * Returns the gas beyond the reserve of an address balance, MIST.
 *
 * @param moreMist the gas budget of one more transaction, beside the pending ones.
 */
export function gasBeyondReserveMist(store: SuiFundStore, moreMist: bigint): bigint {
  const gasMist = store
    .pendingTreasury()
    .reduce((sum, { gasObjectId, gasBudgetAtoms }) => sum + (gasObjectId === null ? gasBudgetAtoms : 0n), moreMist);
  const beyondMist = gasMist - maintenanceReserveMist(store, "address_balance");
  return beyondMist > 0n ? beyondMist : 0n;
}
