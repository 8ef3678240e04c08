import { type SecretName, secretIn } from "../../shared/secret-forms.ts";
import { pathTo } from "./paths.ts";

/** The title of the page about a secret. */
export const SECRET_TITLE = "A secret";

/** Returns the name of the secret that a URL holds. Null if it holds none of a known form. */
export function secretInUrl(url: string): SecretName | null {
  const { pathname, searchParams } = new URL(url);
  return [pathname, ...searchParams.values()].map(secretIn).find((name) => name !== null) ?? null;
}

const REPLACE: Readonly<
  Record<SecretName, { readonly text: string; readonly link: readonly [string, string] | null }>
> = {
  "an access key": {
    text: "Make a new key, give it to the app, and then disable this one.",
    link: ["Keys", pathTo("keys")],
  },
  "an operator's token": { text: "Make a new token, and then delete this one.", link: ["Tokens", pathTo("tokens")] },
  "a session token": { text: "It ends by itself. End all sessions of the project to end it now.", link: null },
  "a webhook secret": { text: "Make a new secret on the page of the webhook.", link: ["Webhooks", pathTo("webhooks")] },
  "a user's token": { text: "It ends by itself. End the user's session where it was issued.", link: null },
  "a private key": { text: "Move what its address owns to another one.", link: null },
};

/** Refuses a secret that was sent where anything else was expected. The page does not repeat it. */
export function SecretPage({ secret, wasInUrl }: { readonly secret: SecretName; readonly wasInUrl: boolean }) {
  const { text, link } = REPLACE[secret];
  return (
    <section class="panel narrow">
      <h1>That is {secret}</h1>
      <p class="lead" role="alert">
        {wasInUrl
          ? "It was in the URL. This browser's history has it, and a proxy's log may have it. Replace it."
          : "Nothing was searched. It came in a form, so no URL and no log of this service has it."}
      </p>
      <p>
        {wasInUrl ? null : "If anybody else can have seen it, replace it. "}
        {text}
      </p>
      {link === null ? null : (
        <p>
          <a href={link[1]}>{link[0]}</a>
        </p>
      )}
      <p class="hint">Search for an id, a digest or a hash: none of them opens anything.</p>
    </section>
  );
}
