import { type Row, WordNumbers } from "../../durable/sql.ts";
import { batchesOf } from "../../paging.ts";
import { type Packed, pack, unpack } from "../packed.ts";
import { addCounts, type DailyDimension, type DailyRow, NAMES_A_DAY, OTHER_NAMES } from "./daily.ts";

/**
 * Part of version 7. A fund's daily counters: a row for a dimension, a day and a name. `daily_since` has the time since
 * which every end is counted.
 */
export const DAILY_MIGRATION_7 = `
  CREATE TABLE daily_count (
    dimension INTEGER NOT NULL,
    day INTEGER NOT NULL,
    name ANY NOT NULL,
    executed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    abandoned INTEGER NOT NULL,
    unresolvable INTEGER NOT NULL,
    charged_atoms INTEGER NOT NULL,
    fee_atoms INTEGER NOT NULL,
    rebate_atoms INTEGER NOT NULL,
    maintenance_atoms INTEGER NOT NULL,
    PRIMARY KEY (dimension, day, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE daily_since (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    since_ms INTEGER NOT NULL
  ) STRICT;
`;

const dimensions = new WordNumbers<DailyDimension>({ key: 2, sender: 3, target: 4 });

type CountRow = Row<{
  day: number;
  name: ArrayBuffer | string;
  executed: number;
  failed: number;
  abandoned: number;
  unresolvable: number;
  charged: string;
  fee: string;
  rebate: string;
  maintenance: string;
}>;

/** The most names of one statement. The platform allows 100 bindings. */
const NAMES_AT_ONCE = 40;
const COLUMNS = ["executed", "failed", "abandoned", "unresolvable"] as const;
const AMOUNT_COLUMNS = ["charged_atoms", "fee_atoms", "rebate_atoms", "maintenance_atoms"] as const;
/**
 * A node's reply may name any rebate. A counter stays within the range that JavaScript and SQLite add exactly. A sum
 * that overflows would stop every settlement.
 */
const MOST_ATOMS = BigInt(Number.MAX_SAFE_INTEGER);
const bounded = (sum: string) => `max(-${MOST_ATOMS}, min(${MOST_ATOMS}, ${sum}))`;
const ADD_ONE = [
  ...COLUMNS.map((column) => `${column} = ${column} + excluded.${column}`),
  ...AMOUNT_COLUMNS.map((column) => `${column} = ${bounded(`${column} + excluded.${column}`)}`),
];
const COUNTS = ["?", ...COLUMNS.map(() => "?"), ...AMOUNT_COLUMNS.map(() => "CAST(? AS INTEGER)")].join(", ");
/**
 * Adds the same counts to this many names of a day. One statement costs far less than several, and a binding costs as
 * much as a column. SQLite needs `WHERE true` to tell the conflict from a join.
 */
const ADD = Array.from(
  { length: NAMES_AT_ONCE + 1 },
  (_, count) =>
    `INSERT INTO daily_count (dimension, name, day, ${[...COLUMNS, ...AMOUNT_COLUMNS].join(", ")})
     SELECT column1, column2, ${COUNTS} FROM (VALUES ${Array.from({ length: count }, () => "(?, ?)").join(", ")})
     WHERE true ON CONFLICT (dimension, day, name) DO UPDATE SET ${ADD_ONE.join(", ")}`,
);
/** SQLite's integers reach JavaScript as doubles. So amounts are read as text. */
const SUMS = `
  SUM(executed) AS executed, SUM(failed) AS failed, SUM(abandoned) AS abandoned, SUM(unresolvable) AS unresolvable,
  CAST(SUM(charged_atoms) AS TEXT) AS charged, CAST(SUM(fee_atoms) AS TEXT) AS fee,
  CAST(SUM(rebate_atoms) AS TEXT) AS rebate, CAST(SUM(maintenance_atoms) AS TEXT) AS maintenance`;

/** The dimensions whose names strangers make. */
const FOLDED: readonly DailyDimension[] = ["sender", "target"];
/** The rows of a day that do not count for `OTHER_NAMES` yet. */
const NAMED = "FROM daily_count WHERE dimension = ? AND day = ? AND name <> ?";
const ALL_COLUMNS = [...COLUMNS, ...AMOUNT_COLUMNS];
const FOLD = `
  INSERT INTO daily_count (dimension, day, name, ${ALL_COLUMNS.join(", ")})
  SELECT dimension, day, '${OTHER_NAMES}', ${ALL_COLUMNS.map((column) => bounded(`SUM(${column})`)).join(", ")}
  ${NAMED} GROUP BY dimension, day
  ON CONFLICT (dimension, day, name) DO UPDATE SET ${ADD_ONE.join(", ")}`;

/** Records that every end from now on is counted, unless an earlier time is recorded. */
export function startDailyCounts(sql: SqlStorage, nowMs: number): void {
  sql.exec("INSERT OR IGNORE INTO daily_since (only_row, since_ms) VALUES (1, ?)", Math.floor(nowMs));
}

interface AddedRow extends DailyRow {
  readonly dimension: DailyDimension;
}

/**
 * Keeps the daily counters of a fund. Changes of a transaction are added up in memory, and written once at its end.
 * A settlement of fifty sponsorships writes the counter of their fund once.
 */
export class SqliteDaily {
  readonly #sql: SqlStorage;
  readonly #onRollback: (undo: () => void) => void;
  readonly #added = new Map<string, AddedRow>();
  /** The names of a bounded dimension on one day, if they were read. */
  readonly #names = new Map<DailyDimension, { readonly day: number; readonly names: Set<string> }>();

  /** Memory knows each day before this one as folded, for each bounded dimension. */
  readonly #foldedTo = new Map<DailyDimension, number>();

  /** @param onRollback registers a step that takes back a memory change if the transaction under way is rolled back. */
  constructor(sql: SqlStorage, onRollback: (undo: () => void) => void) {
    this.#sql = sql;
    this.#onRollback = onRollback;
  }

  /** Adds to the counters of a name on a day, in memory until `write`. */
  add(dimension: DailyDimension, row: DailyRow): void {
    const at = `${dimension} ${row.day} ${row.name}`;
    const before = this.#added.get(at);
    this.#onRollback(() => {
      if (before === undefined) this.#added.delete(at);
      else this.#added.set(at, before);
    });
    this.#added.set(at, { dimension, ...row, ...(before !== undefined && addCounts(before, row)) });
  }

  /** Writes the changes of the transaction under way. The names of one sponsorship have equal counts, and are one write. */
  write(): void {
    if (this.#added.size === 0) return;
    this.#onRollback(() => this.#names.clear());
    const groups = new Map<string, { readonly counts: Counts; readonly places: (number | Packed)[][] }>();
    for (const row of this.#added.values()) {
      const counts = countsOf(row);
      const place = [dimensions.numberOf(row.dimension), pack(this.#nameFor(row))];
      const group = groups.get(counts.join());
      if (group === undefined) groups.set(counts.join(), { counts, places: [place] });
      else group.places.push(place);
    }
    for (const { counts, places } of groups.values())
      for (const batch of batchesOf(places, NAMES_AT_ONCE))
        this.#sql.exec(ADD[batch.length] ?? "", ...counts, ...batch.flat());
    this.#added.clear();
  }

  /** Returns the name under which a row counts: its own, unless the day has too many names. */
  #nameFor({ dimension, day, name }: AddedRow): string {
    const most = NAMES_A_DAY[dimension];
    if (most === null) return name;
    const known = this.#names.get(dimension);
    const names = known?.day === day ? known.names : this.#readNames(dimension, day);
    if (names !== known?.names) this.#names.set(dimension, { day, names });
    if (names.has(name)) return name;
    if (names.size >= most) return OTHER_NAMES;
    names.add(name);
    return name;
  }

  #readNames(dimension: DailyDimension, day: number): Set<string> {
    const rows = this.#sql
      .exec<{ name: ArrayBuffer | string }>(
        "SELECT name FROM daily_count WHERE dimension = ? AND day = ?",
        dimensions.numberOf(dimension),
        day,
      )
      .toArray();
    return new Set(rows.map(({ name }) => unpack(name)).filter((name) => name !== OTHER_NAMES));
  }

  /**
   * Adds up the names of one old day of senders, and of one of targets. Their sums stay, under `OTHER_NAMES`.
   * So these dimensions grow by one row a day.
   *
   * @param beforeDay the first day that keeps its names.
   */
  foldOld(beforeDay: number): void {
    for (const dimension of FOLDED) this.#foldOne(dimension, beforeDay);
  }

  #foldOne(dimension: DailyDimension, beforeDay: number): void {
    const number = dimensions.numberOf(dimension);
    const [oldest] = this.#sql
      .exec<{ day: number }>(
        "SELECT day FROM daily_count WHERE dimension = ? AND day >= ? AND day < ? AND name <> ? ORDER BY day LIMIT 1",
        number,
        this.#foldedTo.get(dimension) ?? 0,
        beforeDay,
        OTHER_NAMES,
      )
      .toArray();
    this.#foldedTo.set(dimension, oldest?.day ?? Math.max(beforeDay, this.#foldedTo.get(dimension) ?? 0));
    if (oldest === undefined) return;
    const named = [number, oldest.day, OTHER_NAMES];
    this.#sql.exec(FOLD, ...named);
    this.#sql.exec(`DELETE ${NAMED}`, ...named);
    this.#names.delete(dimension);
  }

  /** Reads the counters of each day and name, from the first day to the last. The oldest day comes first. */
  read(dimension: DailyDimension, fromDay: number, toDay: number): readonly DailyRow[] {
    return this.#rows("day, name", dimension, fromDay, toDay);
  }

  /** Reads the sums of each name over the days. Their `day` is the first day. */
  sums(dimension: DailyDimension, fromDay: number, toDay: number): readonly DailyRow[] {
    return this.#rows("name", dimension, fromDay, toDay);
  }

  /** Reads the sums of the whole fund on each day, which are the sums over all keys. */
  days(fromDay: number, toDay: number): readonly DailyRow[] {
    return this.#rows("day", "key", fromDay, toDay);
  }

  #rows(
    by: "day, name" | "name" | "day",
    dimension: DailyDimension,
    fromDay: number,
    toDay: number,
  ): readonly DailyRow[] {
    return this.#sql
      .exec<CountRow>(
        `SELECT MIN(day) AS day, MIN(name) AS name, ${SUMS} FROM daily_count WHERE dimension = ? AND day BETWEEN ? AND ?
         GROUP BY ${by} ORDER BY ${by}`,
        dimensions.numberOf(dimension),
        fromDay,
        toDay,
      )
      .toArray()
      .map(rowOf);
  }

  /** Returns the time since which every end is counted. Null if it is not known. */
  sinceMs(): number | null {
    const [row] = this.#sql.exec<{ since_ms: number }>("SELECT since_ms FROM daily_since").toArray();
    return row?.since_ms ?? null;
  }
}

type Counts = readonly (number | string)[];

/** Returns the bindings of a row's day and counts. */
function countsOf(row: AddedRow): Counts {
  const { day, executed, failed, abandoned, unresolvable } = row;
  const amounts = [row.chargedAtoms, row.feeAtoms, row.rebateAtoms, row.maintenanceAtoms];
  return [day, executed, failed, abandoned, unresolvable, ...amounts.map((atoms) => String(boundedAtoms(atoms)))];
}

function boundedAtoms(atoms: bigint): bigint {
  if (atoms > MOST_ATOMS) return MOST_ATOMS;
  return atoms < -MOST_ATOMS ? -MOST_ATOMS : atoms;
}

function rowOf({ day, name, charged, fee, rebate, maintenance, ...counts }: CountRow): DailyRow {
  const { executed, failed, abandoned, unresolvable } = counts;
  return {
    day,
    name: unpack(name),
    executed,
    failed,
    abandoned,
    unresolvable,
    chargedAtoms: BigInt(charged),
    feeAtoms: BigInt(fee),
    rebateAtoms: BigInt(rebate),
    maintenanceAtoms: BigInt(maintenance),
  };
}
