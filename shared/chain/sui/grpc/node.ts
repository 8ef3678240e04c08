import { done } from "../../../errors.ts";
import { unlessAborted } from "../../../timing.ts";
import type { SuiNode } from "../node.ts";
import { verifyEd25519, verifyOtherSchemes } from "../signature.ts";
import { aliases } from "./aliases.ts";
import { balances } from "./balances.ts";
import { chainFacts } from "./chain-facts.ts";
import { listCoins, observeCoins } from "./coins.ts";
import { GrpcConnection, type SuiNodeOptions } from "./connection.ts";
import { listBalances, listOwned } from "./listing.ts";
import { gasOwners, lookUp, rawEffects } from "./look-up.ts";
import { dryRun } from "./simulate.ts";
import { submit } from "./submit.ts";

export type { SuiNodeOptions } from "./connection.ts";

/** Makes a Sui full node over gRPC-web. Public full nodes have no JSON-RPC any more. */
export function createSuiNode(options: SuiNodeOptions): SuiNode {
  return nodeOver(GrpcConnection.open(options));
}

function nodeOver(connection: GrpcConnection): SuiNode {
  return {
    within: (call) => nodeOver(connection.forCall(call)),
    chainFacts: (atLeastEpoch, besides) => chainFacts(connection, atLeastEpoch, besides),
    balances: (owner, digests, ownDigests = [], besides) =>
      balances(
        connection,
        owner,
        [
          [digests, "charge"],
          [ownDigests, "effects"],
        ],
        besides,
      ),
    lookUp: (digests, detail, besides, heights) => lookUp(connection, digests, detail, besides, heights),
    gasOwners: (digests, besides) => gasOwners(connection, digests, besides),
    rawEffects: (digest) => rawEffects(connection, digest),
    submit: (transactionBytes, signatures, digest) => submit(connection, { transactionBytes, signatures, digest }),
    dryRun: (transactionBytes) => dryRun(connection, transactionBytes),
    coins: (owner, tokens) => listCoins(connection, owner, tokens),
    observeCoins: (objectIds, besides) => observeCoins(connection, objectIds, besides),
    owned: (owner, after) => connection.readPage("owned", (call) => listOwned(call, owner, after)),
    typeBalances: (owner, after) => connection.readPage("typeBalances", (call) => listBalances(call, owner, after)),
    aliases: (address) => aliases(connection, address),
    verifySignature: async (transactionBytes, signature, address) => {
      const verdict = await verifyEd25519(transactionBytes, signature, address);
      if (verdict !== null) return done(verdict);
      return connection.read("verifySignature", ({ client, abort }) =>
        unlessAborted(abort, verifyOtherSchemes(transactionBytes, signature, address, client)),
      );
    },
  };
}
