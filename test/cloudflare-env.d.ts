import type { AccessKey } from "../shared/access/object.ts";
import type { Directory } from "../shared/directory/object.ts";
import type { FundArchive } from "../shared/fund/archive/object.ts";
import type { Fund } from "../shared/fund/object.ts";
import type { Project } from "../shared/project/object.ts";
import type { Wallet } from "../shared/wallet/object.ts";
import type { Session } from "../shared/wallet/session/object.ts";
import type { WebhookInbox } from "../shared/webhooks/inbox/object.ts";
import type { WorkflowUser } from "../shared/workflow/user/object.ts";

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
      readonly FUND_ARCHIVE: DurableObjectNamespace<FundArchive>;
      readonly WALLET: DurableObjectNamespace<Wallet>;
      readonly SESSION: DurableObjectNamespace<Session>;
      readonly WEBHOOK_INBOX: DurableObjectNamespace<WebhookInbox>;
      readonly WORKFLOW_USER: DurableObjectNamespace<WorkflowUser>;
      readonly KV: KVNamespace;
    }
  }
}
