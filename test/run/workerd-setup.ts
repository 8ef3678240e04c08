import { reset } from "cloudflare:test";
import { beforeEach } from "vitest";

// Files share one isolate and one storage (starting a runtime per file costs seconds): each test starts from nothing.
beforeEach(reset);
