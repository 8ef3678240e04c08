import { pathTo } from "../paths.ts";

/** The words above the form of the log-in, by why the visitor is there. */
const NOTES = {
  out: { tone: "ok", text: "You are logged out." },
  unsent: { tone: "warn", text: "Your session is over. Nothing was sent: log in, and send the form again." },
  asked: { tone: "", text: "Log in to go on to the page that you asked for." },
} as const;

/** Why a visitor is at the log-in. */
export type EntryNote = keyof typeof NOTES;

/** Returns the note that a URL names. Null if it names none. */
export function entryNote(word: string | undefined): EntryNote | null {
  return word !== undefined && Object.hasOwn(NOTES, word) ? (word as EntryNote) : null;
}

/** The page of a visitor without a session: the log-in, or a one-time link. */
export type EntryState =
  | { readonly kind: "login"; readonly to: string; readonly fault?: string; readonly note?: EntryNote | null }
  | { readonly kind: "link"; readonly path: string };

function PlainHttp() {
  return (
    <p class="note bad" role="alert">
      You are on plain HTTP, where your browser drops the session: open this page over https, or by an SSH tunnel at
      http://localhost.
    </p>
  );
}

function LoginForm({ to, fault, note }: Extract<EntryState, { kind: "login" }>) {
  const shown = note && NOTES[note];
  return (
    <form method="post" action={pathTo("login")} class="stack">
      <h1>Log in</h1>
      {shown ? (
        <p class={`note ${shown.tone}`} role="status">
          {shown.text}
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

/** The log-in page. */
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
