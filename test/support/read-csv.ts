/** A strict reader of RFC 4180, written for the tests alone. Every line must end, and every quote must be closed. */
export function readCsv(text: string): readonly string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const field = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest);
    if (field === null) throw new Error(`no CSV from here on: ${JSON.stringify(rest.slice(0, 80))}`);
    const [matched, quoted, plain = "", end] = field;
    line.push(quoted?.replaceAll('""', '"') ?? plain);
    rest = rest.slice(matched.length);
    if (end === ",") continue;
    lines.push(line);
    line = [];
  }
  if (line.length > 0) throw new Error("the last line does not end");
  return lines;
}
