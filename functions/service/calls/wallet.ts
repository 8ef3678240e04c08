import { serviceMasterKeys } from "../../../shared/bindings/deps.ts";
import type { WalletObject, WalletSignature } from "../../../shared/bindings/wallet.ts";
import { done, type Outcome } from "../../../shared/errors.ts";
import { chainOf } from "../../../shared/networks.ts";
import type { CallContext } from "../../../shared/rpc/handler.ts";
import { type WalletRef, walletName } from "../../../shared/wallet/context.ts";
import type { DerivedSecret, ProjectDerivation } from "../../../shared/wallet/derivation.ts";
import { importExport, type WalletExport } from "../../../shared/wallet/export.ts";
import { sessionStoreOf } from "../../../shared/wallet/session/store.ts";
import { issueSession, parseToken } from "../../../shared/wallet/session/token.ts";

async function derivationOf({ caller, env, deps }: CallContext): Promise<ProjectDerivation> {
  const terms = await deps.derivations.of(caller.projectId, (id) => env.PROJECT.getByName(id).derivationTerms());
  if (terms === null) throw new Error("an access key names a project that has no record");
  return terms;
}

/** Derives a secret in the queue of the caller's project, within the time of the call. */
function derive(secret: string, project: ProjectDerivation, { caller, deps, deadline }: CallContext) {
  return deps.deriveSecret(secret, project, { tenant: caller.projectId, leftMs: deadline.leftMs() });
}

/** Derives the secret and keeps it for ten minutes in two halves. The caller gets one of them: the token. */
export async function createSession(secret: string, context: CallContext): Promise<Outcome<string>> {
  const { caller, deps, env } = context;
  const { keyId, projectId, sessionEpoch } = caller;
  const derived = await derive(secret, await derivationOf(context), context);
  if (!derived.ok) return derived;
  try {
    const session = { secret: derived.value, accessKeyId: keyId, epoch: sessionEpoch };
    const masterKeys = serviceMasterKeys(deps);
    const nowMs = deps.clock.nowMs();
    const issued = await issueSession(session, projectId, nowMs, masterKeys, (length) => deps.randomBytes(length));
    const stored = await sessionStoreOf(env, deps).put(issued.storeKey, issued.storeValue, issued.expiresAtMs);
    return stored.ok ? done(issued.token) : stored;
  } finally {
    derived.value.bytes.fill(0);
  }
}

/** Runs a call with the secret of a token, and then overwrites the secret. */
export async function withSession<Result>(
  token: string,
  { caller, deps, env }: CallContext,
  use: (secret: DerivedSecret) => Promise<Outcome<Result>>,
): Promise<Outcome<Result>> {
  const half = await parseToken(token, caller.projectId, serviceMasterKeys(deps));
  if (!half.ok) return half;
  const storeValue = await sessionStoreOf(env, deps).get(half.value.storeKey);
  if (!storeValue.ok) return storeValue;
  const session = await half.value.open(storeValue.value, { nowMs: deps.clock.nowMs(), epoch: caller.sessionEpoch });
  if (!session.ok) return session;
  const { secret } = session.value;
  try {
    return await use(secret);
  } finally {
    secret.bytes.fill(0);
  }
}

/**
 * Returns the object of a wallet, in the project and on the chain of the caller's key. It does not check that the
 * wallet exists.
 */
export function walletOf(
  walletId: string,
  { caller, env }: CallContext,
): { readonly ref: WalletRef; readonly stub: WalletObject } {
  const ref = { projectId: caller.projectId, chain: chainOf(caller.network), walletId };
  return { ref, stub: env.WALLET.getByName(walletName(ref)) };
}

/** Creates a wallet and returns its address. */
export function createWallet(walletId: string, token: string, context: CallContext): Promise<Outcome<string>> {
  const { ref, stub } = walletOf(walletId, context);
  const { idempotency, caller } = context;
  const { keyId } = caller;
  return withSession(token, context, (secret) => stub.create({ wallet: ref, secret, keyId, idempotency }));
}

/** Returns the wallet's address. */
export function getWallet(walletId: string, context: CallContext): Promise<Outcome<string>> {
  const { ref, stub } = walletOf(walletId, context);
  return stub.address(ref);
}

/** Signs with a wallet. @param messageFor decides the message; called once the session is known to be good. */
export function signWith(
  walletId: string,
  token: string,
  context: CallContext,
  messageFor: () => Promise<Outcome<Uint8Array>>,
): Promise<Outcome<WalletSignature>> {
  const { ref, stub } = walletOf(walletId, context);
  const { keyId } = context.caller;
  return withSession(token, context, async (secret) => {
    const message = await messageFor();
    return message.ok ? stub.sign({ wallet: ref, secret, keyId, message: message.value }) : message;
  });
}

/**
 * Exports the wallet's key, which its secret opens without this service. `export_disabled` comes before any fact about
 * the wallet.
 */
export async function exportWallet(
  walletId: string,
  token: string,
  context: CallContext,
): Promise<Outcome<WalletExport>> {
  const { caller, env } = context;
  const derivationSalt = await env.PROJECT.getByName(caller.projectId).exportSalt();
  if (!derivationSalt.ok) return derivationSalt;
  const { ref, stub } = walletOf(walletId, context);
  return withSession(token, context, (secret) =>
    stub.export({ wallet: ref, secret, derivationSalt: derivationSalt.value, keyId: caller.keyId }),
  );
}

/**
 * Imports a wallet and returns its address. The export is opened here, because deriving a secret would stall an object.
 * The object is called first. It answers for an existing wallet as it does for a creation, and no export is opened
 * then.
 */
export async function importWallet(
  walletId: string,
  imported: { readonly secret: string; readonly export: WalletExport },
  context: CallContext,
): Promise<Outcome<string>> {
  const { ref, stub } = walletOf(walletId, context);
  const { deps, idempotency, caller } = context;
  const derived = await derive(imported.secret, await derivationOf(context), context);
  if (!derived.ok) return derived;
  const secret = derived.value;
  try {
    const input = { wallet: ref, secret, keyId: caller.keyId, idempotency };
    const again = await stub.checkImport(input);
    if (again !== null) return again;
    const target = { wallet: ref, secret, masterKeys: serviceMasterKeys(deps) };
    const stored = await importExport(
      imported.export,
      imported.secret,
      target,
      (text, project) => derive(text, project, context),
      (length) => deps.randomBytes(length),
    );
    return stored.ok ? await stub.import({ ...input, stored: stored.value }) : stored;
  } finally {
    secret.bytes.fill(0);
  }
}
