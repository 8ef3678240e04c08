import { admit, keysOfRequest } from "../../../shared/access/admission.ts";
import { hashKeySecret, issueAccessKey, KEY_SECRET_BYTES } from "../../../shared/access/key-format.ts";
import { createDeps, type Deps, serviceSecrets } from "../../../shared/deps.ts";
import type { Env } from "../../../shared/env.ts";
import type { AccessKey } from "../../../shared/objects/access-key.ts";
import { defaultKeyPolicy } from "../../../shared/policy/fund-policy.ts";

export interface GatewayEnv {
  readonly ACCESS_KEY: DurableObjectNamespace<AccessKey>;
  /** Where requests are passed on to. */
  readonly UPSTREAM?: string;
}

const KEY_ID = "key_00000000000000000000";
const QPS = 10_000;

let known: Deps | null = null;
/** Configuration is read once, as the service does. */
function depsOf(env: object): Deps {
  known ??= createDeps(env);
  return known;
}

/** Makes the one access key that is let in. */
export async function newNodeKey(env: GatewayEnv): Promise<string> {
  const deps = depsOf(env);
  const secret = deps.randomBytes(KEY_SECRET_BYTES);
  const network = "APTOS_LOCALNET";
  await env.ACCESS_KEY.getByName(KEY_ID).create({
    keyId: KEY_ID,
    projectId: "prj_00000000000000000000",
    name: "bare",
    network,
    rights: ["node"],
    fundId: null,
    limits: { qps: QPS, cups: QPS },
    secretHash: hashKeySecret(secret),
    policy: defaultKeyPolicy("aptos"),
  });
  const { region } = deps.config;
  return issueAccessKey({ region, network, keyId: KEY_ID, secret }, serviceSecrets(deps).keyPeppers);
}

/** Makes the admission call that the gateway makes, and hands the node's answer on as it is. */
export async function bareGateway(path: string, request: Request, env: GatewayEnv & Pick<Env, "ACCESS_KEY">) {
  const asked = { keys: keysOfRequest(request, null), chain: "aptos", calls: [["node"]] } as const;
  const admitted = await admit(env, depsOf(env), asked);
  if (!admitted.ok || admitted.value.calls[0]?.ok !== true) return new Response(null, { status: 401 });
  return fetch(`${env.UPSTREAM}${path}`);
}
