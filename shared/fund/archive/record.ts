/** Encodes an object as JSON. An amount becomes its decimal digits. Bytes are left out. */
export function jsonRecord(value: object): string {
  return JSON.stringify(value, (_, field: unknown) => {
    if (typeof field === "bigint") return field.toString();
    return field instanceof Uint8Array ? undefined : field;
  });
}
