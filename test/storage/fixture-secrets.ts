/**
 * Secrets of the recorded fixtures. They are public, and protect nothing: the fixtures hold a key of the development
 * chain only. Their version is never the current one, so that nothing new is ever sealed with them.
 */
const FIXTURE_VERSION = 1;
export const FIXTURE_MASTER_KEYS = `${FIXTURE_VERSION}:${btoa("storage fixtures' own master key")}`;
export const FIXTURE_KEY_PEPPERS = `${FIXTURE_VERSION}:${btoa("storage fixtures' own key pepper")}`;

/** Random secrets of version 1, given the next version, beside those of the fixtures. */
export function besideFixtureSecrets(secrets: { readonly MASTER_KEYS: string; readonly KEY_PEPPERS: string }) {
  const next = (text: string) => text.replace(/^1:/, `${FIXTURE_VERSION + 1}:`);
  return {
    MASTER_KEYS: `${FIXTURE_MASTER_KEYS},${next(secrets.MASTER_KEYS)}`,
    KEY_PEPPERS: `${FIXTURE_KEY_PEPPERS},${next(secrets.KEY_PEPPERS)}`,
  };
}
