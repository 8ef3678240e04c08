/** The path of the dashboard. Every link of a page begins with it. */
export const DASHBOARD = "/dashboard";

/** Returns the path of a page. Each part is encoded, so no id or text can leave its place. */
export function pathTo(...parts: readonly string[]): string {
  return [DASHBOARD, ...parts.map(encodeURIComponent)].join("/");
}

/** Returns a path with a query. Fields without a value are left out. */
export function withQuery(path: string, fields: Readonly<Record<string, string | null | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== null && value !== undefined) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query}`;
}
