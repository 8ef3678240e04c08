import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.ts";
import type { ServiceAccess } from "./clients.ts";
import type { Variables } from "./platform.ts";
import { randomSecrets } from "./secrets.ts";
import { startWorkerd, type WorkerdProcess } from "./workerd.ts";

/** Service and development chain as an operator without Cloudflare would run them, each in a process of its own. */
export interface SelfHosted extends ServiceAccess {
  readonly service: WorkerdProcess;
  readonly chain: WorkerdProcess;
  /** Ends both and removes their state. */
  stop(): Promise<void>;
}

/** For kill tests and benches: state on local disk, no KV, the service's secrets in its environment. */
export async function startSelfHosted(vars: { service?: Variables; chain?: Variables } = {}): Promise<SelfHosted> {
  const directory = await mkdtemp(join(tmpdir(), "gasworks-workerd-"));
  const [serviceBundle, chainBundle] = await Promise.all([build("service"), build("chain")]);
  const { FLOWS_CALLER_SECRET: _, ...secrets } = randomSecrets();
  const chain = await startWorkerd({
    bundle: chainBundle,
    stateDirectory: join(directory, "chain"),
    vars: vars.chain ?? {},
  });
  const service = await startWorkerd({
    bundle: serviceBundle,
    stateDirectory: join(directory, "service"),
    vars: { ...secrets, SUI_LOCALNET_NODES: `${chain.url}/sui`, ...vars.service },
  });
  return {
    service,
    chain,
    serviceUrl: service.url,
    chainUrl: chain.url,
    adminToken: secrets.ADMIN_TOKEN,
    async stop() {
      await service.kill();
      await chain.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
