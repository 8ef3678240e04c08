import type { Node } from "../answers.ts";
import { networkText } from "../fund-words.ts";
import { Ago } from "../parts/time.tsx";
import { sentence } from "../problem.tsx";

const STATES = {
  healthy: ["ok", "Healthy"],
  unhealthy: ["bad", "Failing"],
  unchecked: ["", "Not checked"],
} as const;

const SECOND_MS = 1_000;

function msText(ms: number | null): string {
  if (ms === null) return "–";
  return ms < SECOND_MS ? `${ms} ms` : `${(ms / SECOND_MS).toFixed(1)} s`;
}

function NodeRow({ node, nowMs }: { readonly node: Node; readonly nowMs: number }) {
  const { endpoint, state, inUse, cause, latencyMs, averageLatencyMs, lagMs, checks, failures, height, lastGoodAt } =
    node;
  const [tone, text] = STATES[state];
  return (
    <tr>
      <th scope="row">
        {endpoint}
        {cause === null ? null : <p class="fine">{sentence(cause)}</p>}
        {node.software === null ? null : (
          <p class="fine lg">
            {node.software}
            {node.protocolVersion === null ? null : ` · protocol ${node.protocolVersion}`}
          </p>
        )}
      </th>
      <td>
        <span class={`tag ${tone}`}>{text}</span> {inUse ? null : <span class="dim">not in use</span>}
      </td>
      <td class="n">
        {msText(latencyMs)} <span class="fine lg">avg {msText(averageLatencyMs)}</span>
      </td>
      <td class="n lg">{msText(lagMs)}</td>
      <td class="n lg">
        {failures} of {checks}
      </td>
      <td class="n lg">{height ?? "–"}</td>
      <td class="n">{lastGoodAt === null ? "never" : <Ago at={lastGoodAt} nowMs={nowMs} />}</td>
    </tr>
  );
}

/** The nodes of each network: whether they answer, how fast, and how far behind. */
export function NodesPage({ nodes, nowMs }: { readonly nodes: readonly Node[]; readonly nowMs: number }) {
  const networks = [...new Set(nodes.map(({ network }) => network))];
  const used = (network: Node["network"]) => nodes.some((node) => node.network === network && node.inUse);
  const ordered = networks.toSorted((a, b) => Number(used(b)) - Number(used(a)));
  return (
    <>
      <div class="head">
        <h1>Nodes</h1>
        <p class="fine">Checked every five minutes, and when this page is loaded.</p>
      </div>
      <div class="stack" id="live-nodes" data-live="">
        {ordered.map((network) => (
          <section class="panel" aria-labelledby={`n-${network}`}>
            <div class="head">
              <h2 id={`n-${network}`}>{networkText(network)}</h2>
              {used(network) ? null : <span class="tag">No fund or key uses it</span>}
            </div>
            <div class="wrap">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Node</th>
                    <th scope="col">State</th>
                    <th scope="col" class="n">
                      Latency
                    </th>
                    <th scope="col" class="n lg">
                      Behind
                    </th>
                    <th scope="col" class="n lg">
                      Failed checks
                    </th>
                    <th scope="col" class="n lg">
                      Height
                    </th>
                    <th scope="col" class="n">
                      Last good
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {nodes
                    .filter((node) => node.network === network)
                    .map((node) => (
                      <NodeRow node={node} nowMs={nowMs} />
                    ))}
                </tbody>
              </table>
            </div>
          </section>
        ))}
      </div>
    </>
  );
}
