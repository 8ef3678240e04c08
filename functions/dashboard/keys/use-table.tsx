import { chainOf } from "../../../shared/network-names.ts";
import type { Key } from "../answers.ts";
import { Amount } from "../parts/amount.tsx";
import type { KeyUse } from "./use.ts";

/** The use of a key in some spans of time, one row each. */
export function UseTable({
  spans,
  accessKey,
}: {
  readonly spans: readonly (readonly [string, KeyUse | null])[];
  readonly accessKey: Key;
}) {
  const chain = chainOf(accessKey.network);
  return (
    <div class="wrap">
      <table>
        <thead>
          <tr>
            <th scope="col">In</th>
            <th scope="col" class="n">
              Spent
            </th>
            <th scope="col" class="n">
              Sponsored
            </th>
            <th scope="col" class="n lg">
              Aborted
            </th>
            <th scope="col" class="n lg">
              Not executed
            </th>
            <th scope="col" class="n">
              Refused
            </th>
          </tr>
        </thead>
        <tbody>
          {spans.map(([name, use]) => (
            <tr>
              <th scope="row">{name}</th>
              <td class="n">{use === null ? "–" : <Amount chain={chain} atoms={use.spentAtoms} />}</td>
              <td class="n">{use?.sponsored ?? "–"}</td>
              <td class="n lg">{use?.failed ?? "–"}</td>
              <td class="n lg">{use?.abandoned ?? "–"}</td>
              <td class="n">{use?.refused ?? "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
