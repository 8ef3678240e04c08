import { base } from "./base.ts";
import { fold } from "./fold.ts";
import { layout } from "./layout.ts";
import { parts } from "./parts.ts";

/** The whole style of the dashboard: one file, which browsers keep. */
export const style = base + layout + parts + fold;
