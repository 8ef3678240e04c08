import type { Node } from "../answers.ts";
import { networkText } from "../fund-words.ts";
import { Ago } from "../parts/time.tsx";
import { sentence } from "../problem.tsx";

/** One failed check is no unhealthy node yet, but it is not well either. */
function stateOf({ state, cause }: Node): readonly [tone: string, text: string] {
  if (state === "unhealthy") return ["bad", "Failing"];
  if (cause !== null) return ["warn", "Last check failed"];
  return state === "unchecked" ? ["", "Not checked"] : ["ok", "Healthy"];
}

const SECOND_MS = 1_000;

function msText(ms: number | null): string {
  if (ms === null) return "–";
  return ms < SECOND_MS ? `${ms} ms` : `${(ms / SECOND_MS).toFixed(1)} s`;
}

function NodeRow({ node, nowMs }: { readonly node: Node; readonly nowMs: number }) {
  const { endpoint, cause, latencyMs, averageLatencyMs, lagMs, checks, failures, height, lastGoodAt } = node;
  const [tone, text] = stateOf(node);
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
        <span class={`tag ${tone}`}>{text}</span>
      </td>
      <td class="n lg">
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

function Network(props: {
  readonly network: Node["network"];
  readonly nodes: readonly Node[];
  readonly nowMs: number;
}) {
  const { network, nodes, nowMs } = props;
  return (
    <section class="panel" aria-labelledby={`n-${network}`}>
      <h2 id={`n-${network}`}>{networkText(network)}</h2>
      <div class="wrap">
        <table>
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">State</th>
              <th scope="col" class="n lg">
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
  );
}

/** The nodes of each network: whether they answer, how fast, and how far behind. */
export function NodesPage({ nodes, nowMs }: { readonly nodes: readonly Node[]; readonly nowMs: number }) {
  const networks = [...new Set(nodes.map(({ network }) => network))];
  const isUsed = (network: Node["network"]) => nodes.some((node) => node.network === network && node.inUse);
  const [used, unused] = [networks.filter(isUsed), networks.filter((network) => !isUsed(network))];
  return (
    <>
      <div class="head">
        <h1>Nodes</h1>
        <p class="fine">Checked every five minutes, and when this page is loaded.</p>
      </div>
      <div class="panels" id="live-nodes" data-live="">
        {used.length === 0 ? <p class="empty">No fund or key uses a network yet.</p> : null}
        {used.map((network) => (
          <Network network={network} nodes={nodes} nowMs={nowMs} />
        ))}
      </div>
      {unused.length === 0 ? null : (
        <details>
          <summary>{unused.length} networks that no fund or key uses</summary>
          <div class="panels">
            {unused.map((network) => (
              <Network network={network} nodes={nodes} nowMs={nowMs} />
            ))}
          </div>
        </details>
      )}
    </>
  );
}
