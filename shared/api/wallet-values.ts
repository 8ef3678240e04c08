import * as z from "zod";
import { isWalletId, MAX_WALLET_ID_BYTES } from "../wallet/context.ts";
import { MAX_SECRET_BYTES } from "../wallet/derivation.ts";
import { walletExportSchema } from "../wallet/export.ts";

const MAX_TOKEN_CHARACTERS = 128;

const WALLET_ID = `must be 1 to ${MAX_WALLET_ID_BYTES} bytes of UTF-8`;
const SECRET = `must be 1 to ${MAX_SECRET_BYTES} bytes of UTF-8`;
const TOKEN = "must be a session token";

/** The id is taken as it is. Two different texts are two wallets. */
export const walletId = z
  .string(WALLET_ID)
  .min(1, WALLET_ID)
  .max(MAX_WALLET_ID_BYTES, { error: WALLET_ID, abort: true })
  .refine(isWalletId, WALLET_ID)
  .describe(`The caller's own name for the wallet, 1 to ${MAX_WALLET_ID_BYTES} bytes of UTF-8, fixed for ever.`);

/** The derivation of the project sets further conditions on a secret. */
export const secret = z
  .string(SECRET)
  .min(1, SECRET)
  .max(MAX_SECRET_BYTES, SECRET)
  .describe(
    `The caller's secret of the wallet, 1 to ${MAX_SECRET_BYTES} bytes of UTF-8, bound for ever to the wallets that are created with it.`,
  );

/**
 * Any text is accepted here. A text that is no session token is refused as `bad_session_token`, so that clients make a
 * new one.
 */
export const sessionToken = z
  .string(TOKEN)
  .min(1, TOKEN)
  .max(MAX_TOKEN_CHARACTERS, TOKEN)
  .describe("The session token that the method for sessions returned.");

/** Shared by the methods of both chains. */
export const createSessionBase = {
  summary: "Exchange a wallet's secret for a session token.",
  description:
    "The token stands for the secret for 10 minutes, any number of times. The limit `sessionsPerSecond` of an access key bounds the calls: 100 unless set in a project whose secrets are random (`hkdf`), otherwise 1, because the derivation of a key from a secret is slow on purpose. A burst of 5 always passes.",
  rights: ["wallet"],
  idempotent: false,
  derivations: 1,
  params: z.object({ secret }),
  result: z.string().describe("The session token."),
  errors: [],
} as const;

/** The parts of the contract of wallet creation that both chains share. */
export const createWalletBase = {
  summary: "Create a wallet.",
  description:
    "Makes the wallet's key, which opens only with the secret of the session. Nothing is sent to the chain. There is one wallet for each project, chain and wallet id, the same on every network of the chain.",
  rights: ["wallet"],
  idempotent: true,
  errors: [
    "bad_session_token",
    "wallet_exists",
    "wrong_secret",
    "quota_reached",
    "storage_budget",
    "corrupt_record",
    "master_key_missing",
    "idempotency_conflict",
  ],
} as const;

/** The parts of the contract of a wallet's look-up that both chains share. */
export const getWalletBase = {
  summary: "Read the address of a wallet.",
  description: "Needs no session. A wallet of another project or chain is unknown.",
  rights: ["wallet"],
  idempotent: false,
  errors: ["unknown_wallet", "corrupt_record", "master_key_missing"],
} as const;

/** The schema of a wallet's export. */
export const walletExport = walletExportSchema.describe(
  "The record that the wallet's secret opens without this service.",
);

/** The parts of the contract of an export that both chains share. */
export const exportWalletBase = {
  summary: "Export a wallet.",
  description:
    "Returns the record that the wallet's secret opens without this service. `open-export.mjs` of the repository prints the private key from it, and another service imports it. The call is refused unless the operator has switched exports on for the project. A wallet is exported at most once a minute (`rate_limited` with `data.limit` export). Each export is a row of the project's audit log. The wallet stays.",
  rights: ["wallet"],
  idempotent: false,
  result: walletExport,
  errors: [
    "export_disabled",
    "bad_session_token",
    "unknown_wallet",
    "wrong_secret",
    "corrupt_record",
    "master_key_missing",
  ],
} as const;

/** The parts of the contract of an import that both chains share. */
export const importWalletBase = {
  summary: "Create a wallet from an export.",
  description:
    "The new wallet has the key and the address of the exported one, and opens with the same secret. It may have another id. Counts as a creation, and as two exchanges of a secret for a session token.",
  rights: ["wallet"],
  idempotent: true,
  /** One under the salt of the export's project, one under the salt of this project. */
  derivations: 2,
  errors: [
    "wrong_secret",
    "unconvertible_export",
    "wallet_exists",
    "quota_reached",
    "storage_budget",
    "corrupt_record",
    "master_key_missing",
    "idempotency_conflict",
  ],
} as const;
