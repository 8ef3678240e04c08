import { unparsable } from "../errors.ts";
import type { Route, Routes } from "./route.ts";

export interface Found {
  readonly name: string;
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** The route of a path as it came: segments are decoded one by one, so that a type may hold a slash or a space. */
export function findRoute(routes: Routes, method: string, path: string): Found | undefined {
  const segments = path.split("/").filter((segment) => segment !== "");
  for (const [name, route] of Object.entries(routes)) {
    const params = match(name, method, segments);
    if (params !== undefined) return { name, route, params };
  }
  return undefined;
}

function match(name: string, method: string, segments: readonly string[]): Record<string, string> | undefined {
  const [wantedMethod, pattern = ""] = name.split(" ");
  const wanted = pattern.split("/").filter((segment) => segment !== "");
  if (method !== wantedMethod || wanted.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, one] of wanted.entries()) {
    const segment = segments[index] ?? "";
    if (one.startsWith(":")) params[one.slice(1)] = decode(segment, one.slice(1));
    else if (one !== segment) return undefined;
  }
  return params;
}

function decode(segment: string, name: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw unparsable("path", name, "string", "malformed percent-encoding");
  }
}
