import { AbstractedAccount, Account, AccountAddress } from "@aptos-labs/ts-sdk";
import { expect, test } from "vitest";
import type { RawTransaction } from "../../../shared/chain/aptos/raw-transaction.ts";
import { checkUnjudged } from "../../../shared/fund/aptos/unjudged-signatures.ts";

const NOW_MS = 1_800_000_000_900;
const account = Account.generate();
const address = account.accountAddress.toStringLong();
const judged = account.signWithAuthenticator("0x00").bcsToBytes();
const abstracted = new AbstractedAccount({
  signer: () => new Uint8Array(64),
  accountAddress: account.accountAddress,
  authenticationFunction: "0x1::auth::verify",
});
const madeUp = abstracted.signWithAuthenticator("0x00").bcsToBytes();

/** The furthest expiration that is taken, in seconds from now. */
function longestFor(sender: Uint8Array | null, secondary: readonly Uint8Array[] = [], addresses: string[] = []) {
  const authenticators = sender === null ? null : { sender, secondary };
  const isTaken = (seconds: number) => {
    const expirationTimestampSeconds = BigInt(Math.floor(NOW_MS / 1_000) + seconds);
    const raw = { expirationTimestampSeconds } as RawTransaction;
    const refused = checkUnjudged(raw, { authenticators, secondaryAddresses: addresses }, NOW_MS);
    if (refused !== null) expect(refused.error.reason).toBe("expiration_too_far");
    return refused === null;
  };
  expect(isTaken(150)).toBe(true);
  return isTaken(151) ? "as others" : "150 s";
}

test("a signature that only a node can judge withholds for 150 seconds, and one that is verified here as others", () => {
  expect(longestFor(madeUp)).toBe("150 s");
  expect(longestFor(judged)).toBe("as others");
  expect(longestFor(judged, [judged], [address])).toBe("as others");
  expect(longestFor(judged, [judged, madeUp], [address, "0x5"])).toBe("150 s");
});

test("a secondary signature by a key that its address does not derive from may be made up", () => {
  const stranger = AccountAddress.from("0x5").toStringLong();
  expect(longestFor(judged, [judged], [stranger])).toBe("150 s");
});

test("no signature is shown for one that is handed out, and none is judged", () => {
  expect(longestFor(null)).toBe("as others");
});
