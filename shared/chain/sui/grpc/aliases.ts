import type { Outcome } from "../../../errors.ts";
import { InvalidReplyError } from "../../failover.ts";
import { aliasesId, decodeAliases } from "../aliases.ts";
import type { GrpcConnection } from "./connection.ts";
import { GRPC_NOT_FOUND, required } from "./fields.ts";

/** Reads `SuiNode.aliases`. */
export function aliases(connection: GrpcConnection, address: string): Promise<Outcome<readonly string[]>> {
  const request = { requests: [{ objectId: aliasesId(address) }], readMask: { paths: ["contents"] } };
  return connection.read("aliases", async (call) => {
    const asked = () => call.client.ledgerService.batchGetObjects(request, { abort: call.abort });
    const { objects } = (await connection.seen(call, asked)).value;
    const [found] = objects;
    if (found?.result.oneofKind === "error" && found.result.error.code === GRPC_NOT_FOUND) return [];
    if (found?.result.oneofKind !== "object" || objects.length !== 1)
      throw new InvalidReplyError("the node did not answer about the aliases");
    const decoded = decodeAliases(required(found.result.object.contents?.value, "contents"), address);
    if (decoded === null) throw new InvalidReplyError("the node's reply has malformed aliases");
    return decoded;
  });
}
