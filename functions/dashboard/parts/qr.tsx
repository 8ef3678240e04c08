import { encode } from "uqr";

/** Cells of white around the code, which readers need. */
const QUIET = 4;

/** Makes the path of a QR code's black cells, a run of cells at a time. */
function pathOf(cells: readonly (readonly boolean[])[]): string {
  const runs: string[] = [];
  for (const [y, row] of cells.entries())
    for (let x = 0; x < row.length; x += 1) {
      if (!row[x]) continue;
      const from = x;
      while (row[x + 1]) x += 1;
      runs.push(`M${from} ${y}h${x - from + 1}v1h${from - x - 1}z`);
    }
  return runs.join("");
}

/** Draws the QR code of an address. It is black on white in the dark, too: many readers need that. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: "M", border: QUIET });
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect class="qr-white" width={size} height={size} />
      <path class="qr-black" d={pathOf(data)} />
    </svg>
  );
}
