import { join } from "node:path";
import { build } from "esbuild";
import * as z from "zod";
import { root } from "../../shared/cli/root.ts";

const bundledSchema = z.object({
  pages: z.array(z.object({ method: z.enum(["GET", "POST"]), path: z.string() })).nonempty(),
});

/** Lists the pages of the dashboard. Node reads no `.tsx`, so they are bundled first. */
export async function dashboardPages(): Promise<z.infer<typeof bundledSchema>["pages"]> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "functions/dashboard/pages.ts")],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const source = Buffer.from(outputFiles[0]?.contents ?? []).toString("base64");
  return bundledSchema.parse(await import(`data:text/javascript;base64,${source}`)).pages;
}
