import type { AccessKey } from "../shared/objects/access-key.ts";
import type { Directory } from "../shared/objects/directory.ts";
import type { Fund } from "../shared/objects/fund.ts";
import type { Project } from "../shared/objects/project.ts";
import type { Session } from "../shared/objects/session.ts";
import type { Wallet } from "../shared/objects/wallet.ts";
import type { WebhookInbox } from "../shared/objects/webhook-inbox.ts";
import type { WorkflowUser } from "../shared/objects/workflow-user.ts";

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
      readonly WALLET: DurableObjectNamespace<Wallet>;
      readonly SESSION: DurableObjectNamespace<Session>;
      readonly WEBHOOK_INBOX: DurableObjectNamespace<WebhookInbox>;
      readonly WORKFLOW_USER: DurableObjectNamespace<WorkflowUser>;
      readonly KV: KVNamespace;
    }
  }
}
