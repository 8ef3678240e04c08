import type { AptosFundStore } from "../aptos/store.ts";
import type { SuiFundStore } from "../sui/store.ts";
import type { FundMode } from "../views.ts";
import type { FundBooks } from "./books.ts";

/**
 * What the operator may withdraw, and what is left for further sponsorships, on every chain.
 *
 * @param reserveAtoms set aside for the gas of the fund's treasury transactions.
 * @param leavingAtoms on its way to somebody else already, beside accrued fees.
 */
function availableAtoms(books: FundBooks, reserveAtoms: bigint, leavingAtoms: bigint): bigint {
  const { balanceAtoms, inFlightAtoms, accruedFeesAtoms } = books.totals();
  return balanceAtoms - inFlightAtoms - accruedFeesAtoms - reserveAtoms - leavingAtoms;
}

/** Stays in the balance of an Aptos fund, for the gas of treasury transactions: several transfers, whatever they create. */
const APTOS_RESERVE_OCTAS = 2_000_000n;

/** What is set aside for the gas of an Aptos fund's treasury transactions, octas. */
export function maintenanceReserveOctas(store: AptosFundStore): bigint {
  const { balanceAtoms: balanceOctas } = store.totals();
  return balanceOctas < APTOS_RESERVE_OCTAS ? balanceOctas : APTOS_RESERVE_OCTAS;
}

/** What an Aptos fund's operator may withdraw, and what further sponsorships may be promised, octas. */
export function availableOctas(store: AptosFundStore): bigint {
  const pending = store.pendingTreasury();
  const leavingOctas = pending === null ? 0n : pending.amountAtoms - pending.collectedFeesAtoms;
  return availableAtoms(store, maintenanceReserveOctas(store), leavingOctas);
}

/** Stays in the address balance of a fund in that mode, for the gas of its treasury transactions. */
const ADDRESS_BALANCE_RESERVE_MIST = 10_000_000n;

/** What is set aside for the gas of the fund's treasury transactions, MIST. */
export function maintenanceReserveMist(store: SuiFundStore, mode: FundMode): bigint {
  if (mode === "coin") return store.maintenanceCoins().reduce((sum, { balanceMist }) => sum + balanceMist, 0n);
  const { addressBalanceAtoms: addressBalanceMist } = store.totals();
  return addressBalanceMist < ADDRESS_BALANCE_RESERVE_MIST ? addressBalanceMist : ADDRESS_BALANCE_RESERVE_MIST;
}

/** On its way to somebody else already. Fees among it are accrued until they have gone, and are not counted twice. */
function leavingMist(store: SuiFundStore): bigint {
  return store
    .pendingTreasury()
    .reduce((sum, { paidOutMist, collectedFeesMist }) => sum + paidOutMist - collectedFeesMist, 0n);
}

/** What the fund owns in the form that pays for nothing before it is converted, MIST. */
export function unconvertedMist(store: SuiFundStore, mode: FundMode): bigint {
  const { balanceAtoms: balanceMist, addressBalanceAtoms: addressBalanceMist } = store.totals();
  return mode === "coin" ? addressBalanceMist : balanceMist - addressBalanceMist;
}

/** What the operator may withdraw, and what is left for further sponsorships, MIST: in the form that pays now. */
export function availableMist(store: SuiFundStore, mode: FundMode): bigint {
  return availableAtoms(store, maintenanceReserveMist(store, mode), leavingMist(store)) - unconvertedMist(store, mode);
}

/**
 * What new sponsorships may still be promised, MIST. With coins the coin that is lent decides in the end; from the
 * address balance a promise is only a number, so everything that may still be taken out of it is counted here.
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
 * Returns what pending treasury transactions may take out of the address balance, beside accrued fees. The reserve is
 * there for their gas.
 */
function promisedToOwnMist(store: SuiFundStore): bigint {
  return store
    .pendingTreasury()
    .reduce(
      (sum, { fromAddressBalanceMist, collectedFeesMist }) =>
        sum + (fromAddressBalanceMist > 0n ? fromAddressBalanceMist : 0n) - collectedFeesMist,
      0n,
    );
}
