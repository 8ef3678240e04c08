import { askAptosAgain } from "../devchain/truth/aptos-contract.ts";
import { askGoldens } from "../devchain/truth/aptos-goldens.ts";
import { askSignedGoldens } from "../devchain/truth/aptos-goldens-signed.ts";
import { joined, type Replay } from "../devchain/truth/cases.ts";
import type { Chain } from "../devchain/truth/listed-differences.ts";
import { askSuiAgain } from "../devchain/truth/sui-contract.ts";
import { askSuiFailures } from "../devchain/truth/sui-failures.ts";
import type { Node } from "./node.ts";

const GRPC_WEB = { "content-type": "application/grpc-web+proto" };

/** Asks a node what was recorded of others, as far as that needs no funds and changes nothing. */
export const askNode: Readonly<Record<Chain, (node: Node) => Promise<Replay>>> = {
  async Sui(node) {
    const call = (method: string, body: Uint8Array<ArrayBuffer>) =>
      node.ask(`/sui.rpc.v2.${method}`, { method: "POST", headers: GRPC_WEB, body });
    return joined(await askSuiAgain({ call }), await askSuiFailures({ call }));
  },
  async Aptos(node) {
    const target = { call: (_: string, path: string, init: RequestInit) => node.ask(path, init) };
    return joined(await askGoldens(target), await askSignedGoldens(target), await askAptosAgain(target));
  },
};
