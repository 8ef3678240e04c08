// A Durable Object under the test plugin cannot load a module on first use, so what the service loads lazily is here.
import "@mysten/sui/grpc";
import "@mysten/sui/verify";
import { reset } from "cloudflare:test";
import { beforeEach } from "vitest";

// Files share one isolate and one storage (starting a runtime per file costs seconds): each test starts from nothing.
beforeEach(reset);
