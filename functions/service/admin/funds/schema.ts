import * as z from "zod";
import { endingNames } from "../../../../shared/fund/endings.ts";
import { DEFAULT_FUND_LIMITS, fundLimitsSchema } from "../../../../shared/fund/fund-limits.ts";
import type { LedgerRow } from "../../../../shared/fund/ledger/books.ts";
import { ledgerKinds } from "../../../../shared/fund/ledger/books.ts";
import type { FundView, Reconciliation, SponsorshipView } from "../../../../shared/fund/views.ts";
import { anyFundModes, gasPayers, sponsorshipStates, UNRESOLVABLE } from "../../../../shared/fund/views.ts";
import { networkSchema } from "../../../../shared/networks.ts";
import { policyViewSchema, showPolicy } from "../../../../shared/policy/policy-schema.ts";
import { atoms, fund, instant, iso, key, project, signedAtoms } from "../route/fields.ts";
import { recoverySchema, showRecovery } from "./recovery.ts";

/** The schema of a fund. Amounts are MIST or octas. */
export const fundSchema = z.object({
  id: fund.idSchema,
  projectId: project.idSchema,
  name: z.string(),
  network: networkSchema,
  mode: z.enum(anyFundModes),
  balance: atoms.describe("on Sui the coins and the address balance, on Aptos the primary fungible store"),
  inFlight: atoms.describe("gas budgets and fees, withheld for sponsorships that can still be executed"),
  available: signedAtoms.describe(
    "balance less unconverted, inFlight, accruedFees, maintenanceReserve and withdrawals under way",
  ),
  runwayDays: z
    .number()
    .nullable()
    .describe(
      "for how many days available lasts at the last week's rate; null: nothing spent, or less than a day counted",
    ),
  unconverted: z
    .object({
      amount: atoms,
      coins: z.int().describe("the coins to convert, at most 1,000; 0 for an address balance"),
      cause: z.string(),
      failingSince: instant.nullable().describe("the time of the first failed try, if all later ones failed too"),
    })
    .nullable()
    .describe("the part of the balance that pays for nothing before the fund has converted it; null: there is none"),
  accruedFees: atoms.describe("earned and not collected yet"),
  maintenanceReserve: atoms.describe("set aside for the gas of the fund's own transactions"),
  sponsorshipFee: atoms,
  lowBalance: atoms.nullable(),
  low: z.boolean().describe("available was below lowBalance when it was last checked"),
  policy: policyViewSchema,
  limits: fundLimitsSchema,
  storage: z
    .object({
      usedBytes: z.int().describe("of limits.fundBytes; from 90 % on nothing new is sponsored"),
      high: z.boolean().describe("it reached 70 % of limits.fundBytes, and has not been below 60 % since"),
    })
    .nullable()
    .describe("null only during a roll-out"),
  depositAddress: z.string().nullable(),
  paused: z.boolean(),
  pausedCause: z.string().nullable(),
  recovery: recoverySchema.nullable().describe("the last one, or the one that the fund needs; null: there was none"),
  createdAt: instant,
});

/** Returns a fund in the form of the admin API. */
export function showFund(view: FundView): z.input<typeof fundSchema> {
  const { unconverted } = view;
  return {
    id: view.fundId,
    projectId: view.projectId,
    name: view.name,
    network: view.network,
    mode: view.mode,
    balance: view.balanceAtoms.toString(),
    inFlight: view.inFlightAtoms.toString(),
    available: view.availableAtoms.toString(),
    runwayDays: view.runwayDays ?? null,
    unconverted: unconverted && {
      amount: unconverted.amountAtoms.toString(),
      coins: unconverted.coins,
      cause: unconverted.cause,
      failingSince: unconverted.failingSinceMs === null ? null : iso(unconverted.failingSinceMs),
    },
    accruedFees: view.accruedFeesAtoms.toString(),
    maintenanceReserve: view.maintenanceReserveAtoms.toString(),
    sponsorshipFee: view.sponsorshipFeeAtoms.toString(),
    lowBalance: view.lowBalanceAtoms?.toString() ?? null,
    low: view.low,
    policy: showPolicy(view.policy),
    limits: view.limits ?? DEFAULT_FUND_LIMITS,
    storage: view.storage === undefined ? null : { usedBytes: view.storage.usedBytes, high: view.storage.isHigh },
    depositAddress: view.depositAddress,
    paused: view.pausedCause !== null,
    pausedCause: view.pausedCause,
    recovery: view.recovery && showRecovery(view.recovery),
    createdAt: iso(view.createdAtMs),
  };
}

/** The schema of a sponsorship in a list. Amounts are MIST or octas. */
export const sponsorshipSchema = z.object({
  digest: z
    .string()
    .describe(
      "the digest, on Aptos the hash. If the fund's signature was handed out and nothing is executed yet, the fund's own id",
    ),
  state: z
    .enum([...sponsorshipStates, UNRESOLVABLE])
    .describe("unresolvable: it can never execute any more, and no node shows whether it did"),
  sender: z.string(),
  keyId: key.idSchema,
  gasBudget: atoms.describe("reserved, with the fee, until the end is known"),
  fee: atoms.describe("earned when it completes"),
  charged: signedAtoms.nullable().describe("charged by the chain, less the rebate; null until it is known"),
  rebate: atoms.nullable().describe("the storage rebate within the charge"),
  maintenance: atoms.nullable().describe("its share of the transaction that recycled its coin"),
  createdAt: instant,
  expiresAt: instant,
  outcome: z
    .enum(endingNames)
    .nullable()
    .describe("how it ended; null: it is live, or no node has shown how it was executed"),
  targets: z
    .array(z.string())
    .readonly()
    .nullable()
    .describe("the first Move targets, up to 8; null until its end, and for one from before this was kept"),
  requestId: z.string().nullable().describe("the x-request-id of the call that reserved it"),
  gasPaidBy: z.enum(gasPayers).describe("network: the chain charges no gas for it, and no coin of the fund is held"),
});

/** Returns a sponsorship in the form of the admin API. */
export function showSponsorship(view: SponsorshipView): z.input<typeof sponsorshipSchema> {
  return {
    digest: view.digest,
    state: view.state,
    sender: view.sender,
    keyId: view.keyId,
    gasBudget: view.gasBudgetAtoms.toString(),
    fee: view.feeAtoms.toString(),
    charged: view.chargedAtoms?.toString() ?? null,
    rebate: view.rebateAtoms?.toString() ?? null,
    maintenance: view.maintenanceAtoms?.toString() ?? null,
    createdAt: iso(view.createdAtMs),
    expiresAt: iso(view.expiresAtMs),
    outcome: view.outcome ?? null,
    targets: view.targets ?? null,
    requestId: view.requestId ?? null,
    gasPaidBy: view.gasPaidBy ?? "fund",
  };
}

/** The schema of a ledger row. Amounts are changes, MIST or octas. */
export const ledgerRowSchema = z.object({
  at: instant,
  kind: z.enum(ledgerKinds),
  reference: z.string().describe("the digest, hash or object id that caused it"),
  keyId: key.idSchema.nullable(),
  balance: signedAtoms.describe("change of the balance"),
  addressBalance: signedAtoms.describe("the part of the change that is in the address balance"),
  inFlight: signedAtoms.describe("change of the withheld amount"),
  accruedFees: signedAtoms.describe("change of the fees that are earned and not collected"),
});

/** Returns a ledger row in the form of the admin API. */
export function showLedgerRow(row: LedgerRow): z.input<typeof ledgerRowSchema> {
  return {
    at: iso(row.atMs),
    kind: row.kind,
    reference: row.reference,
    keyId: row.keyId,
    balance: row.balanceAtoms.toString(),
    addressBalance: row.addressBalanceAtoms.toString(),
    inFlight: row.inFlightAtoms.toString(),
    accruedFees: row.accruedFeesAtoms.toString(),
  };
}

/** The schema of a revocation's result: counts of sponsorships. */
export const revokedSchema = z.object({
  revoked: z.int().describe("sponsorships that can never be executed any more"),
  tooLate: z.int().describe("sponsorships that the chain had executed before"),
  irrevocable: z
    .int()
    .describe("sponsorships that can be executed until they expire: on Aptos, or paid from an address balance"),
  pending: z
    .int()
    .describe("sponsorships whose end is not known yet. The fund continues by itself; repeat the call to see"),
});

/** The schema of a reconciliation of a fund's books with the chain. */
export const reconciliationSchema = z.object({
  exact: z
    .boolean()
    .describe("true if coins, versions and balances equal the chain's and the ledger's sum, to the last MIST or octa"),
  coins: z.int(),
  bookedCoins: atoms,
  coinsOnChain: atoms,
  bookedAddressBalance: atoms,
  addressBalanceOnChain: atoms,
  differences: z.array(
    z.object({
      objectId: z.string(),
      booked: atoms.nullable(),
      onChain: atoms.nullable(),
      cause: z.string().nullable().describe("digest of the open transaction that explains it"),
    }),
  ),
});

/** Returns a reconciliation in the form of the admin API. */
export function showReconciliation(compared: Reconciliation): z.input<typeof reconciliationSchema> {
  return {
    exact: compared.exact,
    coins: compared.coins,
    bookedCoins: compared.bookedCoinsAtoms.toString(),
    coinsOnChain: compared.coinsOnChainAtoms.toString(),
    bookedAddressBalance: compared.bookedAddressBalanceAtoms.toString(),
    addressBalanceOnChain: compared.addressBalanceOnChainAtoms.toString(),
    differences: compared.differences.map(({ objectId, bookedAtoms, onChainAtoms, cause }) => ({
      objectId,
      booked: bookedAtoms?.toString() ?? null,
      onChain: onChainAtoms?.toString() ?? null,
      cause,
    })),
  };
}
