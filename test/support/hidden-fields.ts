/** Returns the hidden fields of the first form of a page that is sent to this path. */
export function hiddenFields(html: string, path: string): Readonly<Record<string, string>> {
  const form = html.split("<form").find((part) => part.includes(`action="${path}"`));
  if (form === undefined) throw new Error(`no form is sent to ${path}`);
  const inputs = form.slice(0, form.indexOf("</form>")).match(/<input type="hidden"[^>]*>/g) ?? [];
  const attribute = (tag: string, name: string) => new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  return Object.fromEntries(inputs.map((tag) => [attribute(tag, "name"), attribute(tag, "value")]));
}
