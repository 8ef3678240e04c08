import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bundle, build, DEVELOPMENT_CHAIN, SERVICE, type WorkerSources } from "../../shared/cli/build.ts";
import type { ServiceAccess } from "../../shared/cli/client/funds.ts";
import { localNodes, type Variables } from "../../shared/cli/platform.ts";
import { randomServiceSecrets } from "../../shared/cli/secrets.ts";
import { startWorkerd, type WorkerdProcess } from "../../shared/cli/workerd.ts";

/** Service and development chain as an operator without Cloudflare would run them, each in a process of its own. */
export interface SelfHosted extends ServiceAccess {
  readonly service: WorkerdProcess;
  readonly chain: WorkerdProcess;
  /** Where the service keeps its objects. */
  readonly serviceState: string;
  /** Ends both and removes their state. */
  stop(): Promise<void>;
}

export interface SelfHostedOptions {
  readonly vars?: { readonly service?: Variables; readonly chain?: Variables };
  /** Which build of the service. */
  readonly worker?: WorkerSources;
  /** A bundle of the service in place of a build. */
  readonly bundle?: Bundle;
  readonly webhookReceiver?: string;
  /** Settings of the service's JavaScript engine. */
  readonly v8Flags?: readonly string[];
}

/** For kill tests and benches: state on local disk, no KV, the service's secrets in its environment. */
export async function startSelfHosted({
  vars = {},
  worker = SERVICE,
  bundle,
  webhookReceiver,
  v8Flags = [],
}: SelfHostedOptions = {}): Promise<SelfHosted> {
  const directory = await mkdtemp(join(tmpdir(), "gasworks-workerd-"));
  const [serviceBundle, chainBundle] = await Promise.all([bundle ?? build(worker), build(DEVELOPMENT_CHAIN)]);
  const secrets = randomServiceSecrets();
  const chain = await startWorkerd({
    bundle: chainBundle,
    stateDirectory: join(directory, "chain"),
    vars: vars.chain ?? {},
  });
  const serviceState = join(directory, "service");
  const service = await startWorkerd({
    bundle: serviceBundle,
    stateDirectory: serviceState,
    vars: { ...secrets, ...localNodes(chain.url), ...vars.service },
    v8Flags,
    ...(webhookReceiver !== undefined && { webhookReceiver }),
  });
  return {
    service,
    chain,
    serviceState,
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
