import type { Log } from "../bindings/ports.ts";
import type { Network } from "../networks.ts";
import { faultText } from "./failover.ts";

/** Logs the faults of endpoints: once when they begin, and once when the endpoint answers again. */
export interface EndpointFaults {
  failed(url: string, question: string, error: unknown): void;
  answered(url: string, question: string): void;
  /** Calls an endpoint, and records the result. */
  watch<T>(url: string, question: string, ask: () => Promise<T>): Promise<T>;
}

/** Creates the log of endpoint faults. It names endpoints by their hosts, because the rest of a URL may hold a key. */
export function createEndpointFaults(network: Network, log: Log): EndpointFaults {
  const failing = new Map<string, Set<string>>();
  const questionsOf = (url: string): Set<string> => {
    const known = failing.get(url) ?? new Set();
    failing.set(url, known);
    return known;
  };
  const failed = (url: string, question: string, error: unknown): void => {
    const questions = questionsOf(url);
    if (questions.has(question)) return;
    questions.add(question);
    log("node.failed", { network, endpoint: new URL(url).host, question, fault: faultText(error) });
  };
  const answered = (url: string, question: string): void => {
    if (questionsOf(url).delete(question)) log("node.recovered", { network, endpoint: new URL(url).host, question });
  };
  return {
    failed,
    answered,
    async watch(url, question, ask) {
      try {
        const answer = await ask();
        answered(url, question);
        return answer;
      } catch (error) {
        failed(url, question, error);
        throw error;
      }
    },
  };
}
