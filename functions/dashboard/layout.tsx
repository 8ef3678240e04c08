import type { Child } from "hono/jsx";
import { SCRIPT, STYLE } from "./assets.ts";
import { CsrfField } from "./parts/form.tsx";
import { DASHBOARD, pathTo } from "./paths.ts";
import { type Section, sections } from "./sections.ts";
import type { Visit } from "./visit.ts";

function Head({ title }: { readonly title: string }) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>{`${title} · Gasworks`}</title>
      <link rel="stylesheet" href={STYLE.path} />
      <link rel="icon" href="data:," />
      <script src={SCRIPT.path} defer></script>
    </head>
  );
}

/** The page around a visitor without a session. */
export function Bare({ title, children }: { readonly title: string; readonly children?: Child }) {
  return (
    <html lang="en">
      <Head title={title} />
      <body class="bare">
        <main id="main">
          <p class="brand">Gasworks</p>
          {children}
        </main>
      </body>
    </html>
  );
}

const isUnder = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

function isAt(at: string, { path, others = [] }: Section): boolean {
  if (path === DASHBOARD) return at === path || at === `${path}/`;
  return isUnder(at, path) || others.some((other) => isUnder(at, other));
}

function Navigation({ visit }: { readonly visit: Visit }) {
  const shown = sections.filter(({ needs }) => needs.every((name) => visit.may(name)));
  return (
    <nav class="sections" aria-label="Sections">
      <ul>
        {shown.map((section) => (
          <li>
            <a href={section.path} aria-current={isAt(visit.path, section) ? "page" : undefined}>
              {section.label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The page around everything that an operator sees. */
export function Layout(props: { readonly visit: Visit; readonly title: string; readonly children?: Child }) {
  const { visit, title, children } = props;
  return (
    <html lang="en">
      <Head title={title} />
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="top">
          <a class="brand" href={DASHBOARD}>
            Gasworks <small>{visit.ground.config.region}</small>
          </a>
          <search class="find">
            <form action={pathTo("explain")} method="post">
              <CsrfField visit={visit} />
              <input
                type="search"
                name="q"
                aria-label="Explain a digest, hash, sender, wallet or request"
                placeholder="Digest, hash, sender, wallet or request ID"
                autocomplete="off"
                spellcheck={false}
                value={visit.query.q ?? ""}
              />
              <button type="submit">Explain</button>
            </form>
          </search>
          <form class="who" method="post" action={pathTo("logout")}>
            <CsrfField visit={visit} />
            <span title={`${visit.operator.name}, ${visit.operator.role}`}>
              <span class="name">{visit.operator.name}</span> <small>{visit.operator.role}</small>
            </span>
            <button type="submit" class="plain">
              Log out
            </button>
          </form>
        </header>
        <Navigation visit={visit} />
        <main id="main" tabindex={-1}>
          <p class="printed">As of {new Date(visit.nowMs).toUTCString().slice(5, 22)} UTC</p>
          {children}
        </main>
      </body>
    </html>
  );
}
