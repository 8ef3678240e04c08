import type { AccessKey } from "./objects/access-key.ts";
import type { Directory } from "./objects/directory.ts";
import type { Fund } from "./objects/fund.ts";
import type { Project } from "./objects/project.ts";

/** The bindings of wrangler.toml. Variables and secrets are read by `parseConfig` only. */
export interface Env {
  readonly DIRECTORY: DurableObjectNamespace<Directory>;
  readonly PROJECT: DurableObjectNamespace<Project>;
  readonly ACCESS_KEY: DurableObjectNamespace<AccessKey>;
  readonly FUND: DurableObjectNamespace<Fund>;
}
