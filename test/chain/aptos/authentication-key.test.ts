import {
  AccountAuthenticatorEd25519,
  AccountAuthenticatorMultiEd25519,
  AccountAuthenticatorMultiKey,
  AccountAuthenticatorSingleKey,
  type AuthenticationKey,
  type AccountAuthenticator as SdkAuthenticator,
} from "@aptos-labs/ts-sdk";
import fc from "fast-check";
import { expect, test } from "vitest";
import { authenticationKeyOf } from "../../../shared/chain/aptos/authentication-key.ts";
import { authenticators } from "./generated-signers.ts";

function sdkKeyOf(authenticator: SdkAuthenticator): AuthenticationKey {
  if (authenticator instanceof AccountAuthenticatorEd25519) return authenticator.public_key.authKey();
  if (authenticator instanceof AccountAuthenticatorMultiEd25519) return authenticator.public_key.authKey();
  if (authenticator instanceof AccountAuthenticatorSingleKey) return authenticator.public_key.authKey();
  if (authenticator instanceof AccountAuthenticatorMultiKey) return authenticator.public_keys.authKey();
  throw new Error("of no key");
}

test.each(Object.keys(authenticators) as (keyof typeof authenticators)[])(
  "the key that has signed as %s is the one that the SDK derives, and of a keyless one is left to the node",
  (kind) => {
    fc.assert(
      fc.property(authenticators[kind], ({ ours, sdk }) => {
        const keys =
          "SingleKey" in ours ? [ours.SingleKey?.publicKey] : "MultiKey" in ours ? ours.MultiKey?.publicKeys : [];
        const isKeyless = (keys ?? []).some((key) => key?.$kind.endsWith("Keyless"));
        expect(authenticationKeyOf(ours)).toBe(isKeyless ? null : sdkKeyOf(sdk).toString());
      }),
    );
  },
);
