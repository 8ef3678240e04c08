import { pathTo } from "../paths.ts";

/** The page of a visitor without a session: the log-in, or a one-time link. */
export type EntryState =
  | { readonly kind: "login"; readonly to: string; readonly fault?: string; readonly hasLeft?: boolean }
  | { readonly kind: "link"; readonly path: string };

function PlainHttp() {
  return (
    <p class="note bad" role="alert">
      You are on plain HTTP, where your browser drops the session: open this page over https, or by an SSH tunnel at
      http://localhost.
    </p>
  );
}

function LoginForm({ to, fault, hasLeft }: Extract<EntryState, { kind: "login" }>) {
  return (
    <form method="post" action={pathTo("login")} class="stack">
      <h1>Log in</h1>
      {hasLeft ? (
        <p class="note ok" role="status">
          You are logged out.
        </p>
      ) : null}
      <input type="hidden" name="to" value={to} />
      <div class="field">
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          required
          autofocus
          aria-describedby={fault ? "token-fault token-hint" : "token-hint"}
          aria-invalid={fault ? "true" : undefined}
        />
        {fault ? (
          <p class="fault" id="token-fault" role="alert">
            {fault}
          </p>
        ) : null}
        <p class="hint" id="token-hint">
          <code>ADMIN_TOKEN</code> of this service, or a token that an owner has made for you.
        </p>
      </div>
      <button type="submit" class="primary">
        Log in
      </button>
    </form>
  );
}

/** The page by which visitors come in. */
export function EntryPage({
  state,
  losesSession,
}: {
  readonly state: EntryState;
  /** True if the browser keeps no cookie of a session. */
  readonly losesSession: boolean;
}) {
  return (
    <>
      {losesSession && <PlainHttp />}
      {state.kind === "login" ? <LoginForm {...state} /> : <LinkForm path={state.path} />}
    </>
  );
}

function LinkForm({ path }: { readonly path: string }) {
  return (
    <form method="post" action={path} class="stack">
      <h1>Log in with this link</h1>
      <p>The link works once. It opens the dashboard for the holder of the token that made it.</p>
      <button type="submit" class="primary" autofocus>
        Log in
      </button>
    </form>
  );
}
