/** The labels of a sample. */
export type Labels = Readonly<Record<string, string>>;

/** A value of a metric, and the labels that distinguish it from the others. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number | bigint;
}

/** A metric and its samples. */
export interface MetricFamily {
  /** The name without `_total`, which a counter's samples get. */
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** `open` is OpenMetrics 1.0. `text` is the format of Prometheus before it, 0.0.4. */
export type MetricsFormat = "open" | "text";

/** The media types of the formats. */
export const METRICS_TYPES: Readonly<Record<MetricsFormat, string>> = {
  open: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  text: "text/plain; version=0.0.4; charset=utf-8",
};

const METRIC_NAME = /^[a-z][a-z0-9_]*$/;
const LABEL_NAME = /^[a-z][a-z0-9_]*$/;

function escapedLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}

function escapedHelp(text: string, format: MetricsFormat): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return format === "open" ? escaped.replaceAll('"', '\\"') : escaped;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    if (!LABEL_NAME.test(name)) throw new Error(`${name} is no name of a label`);
    return `${name}="${escapedLabel(value)}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function valueText(value: number | bigint): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  if (value === Number.NEGATIVE_INFINITY) return "-Inf";
  return String(value);
}

function familyText({ name, type, help, samples }: MetricFamily, format: MetricsFormat): string {
  if (!METRIC_NAME.test(name) || name.endsWith("_total")) throw new Error(`${name} is no name of a metric`);
  const sampleName = type === "counter" ? `${name}_total` : name;
  const headName = format === "open" ? name : sampleName;
  const lines = samples.map(({ labels, value }) => `${sampleName}${labelText(labels)} ${valueText(value)}`);
  return [`# HELP ${headName} ${escapedHelp(help, format)}`, `# TYPE ${headName} ${type}`, ...lines, ""].join("\n");
}

/** Writes metrics in one of the formats. A metric without samples is left out. */
export function writeMetrics(families: readonly MetricFamily[], format: MetricsFormat): string {
  const text = families.filter(({ samples }) => samples.length > 0).map((family) => familyText(family, format));
  return `${text.join("")}${format === "open" ? "# EOF\n" : ""}`;
}
