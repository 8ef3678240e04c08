/** Lists the parts of each amount that a page calls spent. The API's `spent` has the same parts. */
export function SpentHint() {
  return (
    <p class="hint">
      Spent is what the chain charged after its rebates, plus your fees, plus the gas of taking back what nobody
      executed. It counts on the UTC day of the end. Today counts, too.
    </p>
  );
}
