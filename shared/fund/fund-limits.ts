import * as z from "zod";

const MIB = 1_048_576;
const DEFAULT_RETENTION_DAYS = 90;
const DEFAULT_FUND_BYTES = 1_024 * MIB;

/** Checks the limits of a fund's own storage. */
export const fundLimitsSchema = z.strictObject({
  retentionDays: z
    .int()
    .min(1)
    .max(3_650)
    .describe("a sponsorship or ledger row stays in the fund for so many days after its end"),
  fundBytes: z
    .int()
    .min(16 * MIB)
    .max(10_240 * MIB)
    .describe("the disk budget of the fund's object: at 70 % an event, at 90 % no new sponsorships"),
});

/** The limits of a fund's own storage. */
export type FundLimits = z.output<typeof fundLimitsSchema>;

/** Checks a change of the limits. A missing limit stays unchanged. */
export const fundLimitsPatchSchema = z.strictObject({
  retentionDays: fundLimitsSchema.shape.retentionDays.exactOptional(),
  fundBytes: fundLimitsSchema.shape.fundBytes.exactOptional(),
});

/** A change of the limits of a fund's own storage. */
export type FundLimitsPatch = z.output<typeof fundLimitsPatchSchema>;

/** The limits of a new fund, and of a fund from before limits existed. */
export const DEFAULT_FUND_LIMITS: FundLimits = { retentionDays: DEFAULT_RETENTION_DAYS, fundBytes: DEFAULT_FUND_BYTES };
