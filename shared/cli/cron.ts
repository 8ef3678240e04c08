const FIELDS = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12 },
  { name: "day of week", min: 1, max: 7 },
] as const;

/**
 * Returns true in the minutes at which the platform would fire this expression. Times are UTC. Days of the week go
 * from 1 (Sunday) to 7, as in Cloudflare's cron triggers. Numbers, `*`, ranges, lists and steps are supported, names
 * are not.
 */
export function cronMatches(expression: string, at: Date): boolean {
  const parts = expression.trim().split(/\s+/);
  if (parts.length !== FIELDS.length)
    throw new Error(`${expression} is not a cron expression of five fields: correct crons in wrangler.toml`);
  const values = [at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay() + 1];
  return FIELDS.every((field, index) => fieldMatches(parts[index] ?? "", values[index] ?? -1, field));
}

function fieldMatches(text: string, value: number, field: (typeof FIELDS)[number]): boolean {
  return text.split(",").some((item) => {
    const match = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(item);
    if (match === null) throw new Error(`"${item}" is not a ${field.name} of a cron expression`);
    const [, from, to, step] = match;
    const first = from === undefined ? field.min : Number(from);
    const last = to !== undefined ? Number(to) : from === undefined || step !== undefined ? field.max : first;
    return value >= first && value <= last && (value - first) % Number(step ?? 1) === 0;
  });
}

const MINUTE_MS = 60_000;

/**
 * Calls `fire` at the minutes of the expressions. No local runtime does that by itself. Returns a function that stops
 * it.
 */
export function startCrons(expressions: readonly string[], fire: (cron: string) => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = () => {
    timer = setTimeout(
      () => {
        const now = new Date();
        for (const expression of expressions) if (cronMatches(expression, now)) fire(expression);
        arm();
      },
      MINUTE_MS - (Date.now() % MINUTE_MS),
    );
  };
  arm();
  return () => clearTimeout(timer);
}
