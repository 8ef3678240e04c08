import * as z from "zod";

/** What a worker knows of its own service and chain. */
export const harnessSchema = z.object({
  serviceUrl: z.string(),
  chainUrl: z.string(),
  adminToken: z.string(),
  /** What the workflows accept as `Authorization: Bearer`, once `useFlowsKey` has mounted them. */
  callerSecret: z.string(),
  /** Base64. */
  flowsSecret: z.string(),
  crons: z.array(z.string()),
});
export type Harness = Readonly<z.infer<typeof harnessSchema>>;

/** What a worker can order of its own service and chain. */
export const commandSchema = z.discriminatedUnion("do", [
  z.object({ do: z.literal("advance"), ms: z.int().min(0) }),
  z.object({ do: z.literal("scheduled"), cron: z.string() }),
  z.object({ do: z.literal("set"), serviceVars: z.record(z.string(), z.string()) }),
  z.object({ do: z.literal("reset") }),
  z.object({ do: z.literal("search"), secrets: z.array(z.string()) }),
  z.object({ do: z.literal("request-line"), requestId: z.string() }),
]);
export type Command = z.infer<typeof commandSchema>;

/** What each command is answered with. */
export const doneSchema = z.object({
  /** How far service and chain are ahead of this machine's clock. */
  clockOffsetMs: z.number(),
  /** Secrets that a search has found in the log, by kind and event. */
  leaks: z.array(z.string()),
  /** The line of the log that was asked for. */
  line: z.string().optional(),
});
export type Done = z.infer<typeof doneSchema>;
