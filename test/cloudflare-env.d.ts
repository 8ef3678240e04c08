import type { AccessKey } from "../shared/objects/access-key.ts";
import type { Directory } from "../shared/objects/directory.ts";
import type { Fund } from "../shared/objects/fund.ts";
import type { Project } from "../shared/objects/project.ts";

declare global {
  namespace Cloudflare {
    /** What `exports` of "cloudflare:workers" holds. */
    interface GlobalProps {
      mainModule: typeof import("../functions/index.ts");
    }

    /** The bindings of wrangler.toml, as `env` of "cloudflare:workers" shows them inside the runtime. */
    interface Env {
      readonly DIRECTORY: DurableObjectNamespace<Directory>;
      readonly PROJECT: DurableObjectNamespace<Project>;
      readonly ACCESS_KEY: DurableObjectNamespace<AccessKey>;
      readonly FUND: DurableObjectNamespace<Fund>;
    }
  }
}
