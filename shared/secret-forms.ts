/**
 * The forms of the secrets that people handle, by their names. A text that holds one must not be in a URL or a log. The
 * middle of a longer text counts too, as a header line or a command has it.
 */
export const SECRET_FORMS = {
  "an access key": /[a-z]{2}\d{1,2}_[a-z]+_[a-z]+_[0-9a-f]{64}/,
  "an operator's token": /admin_[0-9a-f]{64}/,
  "a session token": /ivs_[\w-]{51}/,
  "a webhook secret": /whsec_[A-Za-z0-9+/]{32}/,
  "a user's token": /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\./,
  "a private key": /suiprivkey1[a-z0-9]{50}|ed25519-priv-0x[0-9a-f]{64}|PRIVATE KEY-----|MC4CAQAwBQYDK2VwBCIEI/,
} as const satisfies Readonly<Record<string, RegExp>>;

/** The name of one form of secret. */
export type SecretName = keyof typeof SECRET_FORMS;

const names = Object.keys(SECRET_FORMS) as readonly SecretName[];

/** Returns the name of the secret that a text holds. Null if it holds none of these forms. */
export function secretIn(text: string): SecretName | null {
  return names.find((name) => SECRET_FORMS[name].test(text)) ?? null;
}
