import { shortened, shortTarget } from "../../../shared/fund/explain/words/readable.ts";

/** Shows a digest, an address or an id, shortened. The whole text is in its title and in its copy. */
export function Id({ text, href }: { readonly text: string; readonly href?: string }) {
  const code = (
    <code class="id" title={text} data-copy={text}>
      {shortened(text)}
    </code>
  );
  return href === undefined ? code : <a href={href}>{code}</a>;
}

/** Shows a text of which no character may be missing, such as an address to deposit to. */
export function WholeId({ text }: { readonly text: string }) {
  return (
    <code class="id whole" data-copy={text}>
      {text}
    </code>
  );
}

/** Shows Move targets, one a line. */
export function Targets({ targets }: { readonly targets: readonly string[] }) {
  return (
    <>
      {targets.map((target) => (
        <span class="target">
          <code title={target} data-copy={target}>
            {shortTarget(target)}
          </code>
        </span>
      ))}
    </>
  );
}
