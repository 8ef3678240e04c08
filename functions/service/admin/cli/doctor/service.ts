import * as z from "zod";
import { permissionOf } from "../../operators/permissions.ts";
import { routes } from "../../routes.ts";
import { CommandError } from "../exit-codes.ts";
import { isRecord } from "../flags.ts";
import { type Check, findingsOf, orOk } from "./finding.ts";

const MS_PER_SECOND = 1_000;
/** The header Date has whole seconds. */
const CLOCK_WARN_MS = 5_000;
const CLOCK_FAIL_MS = 60_000;

/** The advice for each cause of `GET /ready`. */
const READY_ADVICE: Readonly<Record<string, string>> = {
  storage_failed: "look at the disk, and search the log for storage.failed",
  newer_state: "deploy the newer build again: an older one cannot read its state",
  key_service: "do what /health says, or wait if AWS KMS did not answer: nothing is lost",
  wrong_secrets: "put back the secrets that were used first: gasworks master-key show names them",
};

const healthSchema = z.looseObject({
  status: z.string(),
  undecided: z.string().optional(),
  policy: z.unknown().optional(),
});
const readySchema = z.object({ causes: z.array(z.object({ cause: z.string(), count: z.number() })).default([]) });

/** Checks that the service answers, that its clock is right, and what its health reports. */
export const checkReachable: Check = async ({ service, clock }) => {
  const found = findingsOf("service");
  const beforeMs = clock.nowMs();
  const { status, headers, body } = await service.publicAnswer("/health");
  const nowMs = (beforeMs + clock.nowMs()) / 2;
  const health = healthSchema.safeParse(body);
  if (!health.success) return [found.fail(`${service.url} answered ${status}, and is not Gasworks`, "check the URL")];
  const { undecided, policy } = health.data;
  const detail = isRecord(body) && typeof body.detail === "string" ? `: ${body.detail}` : "";
  return [
    status === 200
      ? found.ok(`${service.url} answers`)
      : found.fail(
          `/health is ${status}, ${health.data.status}${detail}`,
          READY_ADVICE[health.data.status] ?? "search the log",
        ),
    ...(undecided === undefined ? [] : [found.warn(undecided, "gasworks master-key show names the secrets")]),
    ...(policy === undefined
      ? []
      : [
          found.warn(
            "the workflows' access keys differ from the app's policy",
            "deploy again: npm run deploy corrects them",
          ),
        ]),
    clockFinding(Date.parse(headers.get("date") ?? "") + MS_PER_SECOND / 2 - nowMs),
  ];
};

function clockFinding(differenceMs: number) {
  const found = findingsOf("clock");
  const seconds = Math.round(differenceMs / MS_PER_SECOND);
  if (Number.isNaN(seconds)) return found.ok("not compared: the service sends no Date");
  const text = `the service's clock is ${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead of"} this machine's`;
  const advice = "set the clocks by NTP, and see which one is wrong";
  if (Math.abs(differenceMs) > CLOCK_FAIL_MS) return found.fail(text, advice);
  return Math.abs(differenceMs) > CLOCK_WARN_MS ? found.warn(text, advice) : found.ok(text);
}

/** Checks whether the service can do its work. */
export const checkReady: Check = async ({ service }) => {
  const found = findingsOf("ready");
  const { status, body } = await service.publicAnswer("/ready");
  if (status === 200) return [found.ok("the service can do its work")];
  const causes = readySchema.safeParse(body).data?.causes ?? [];
  return orOk(
    causes.map(({ cause, count }) =>
      found.fail(`not ready: ${cause} (${count})`, READY_ADVICE[cause] ?? "gasworks node list, and the lines below"),
    ),
    found.fail(`/ready answers ${status}`, "search the log for ready.failed"),
  );
};

const documentSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** Compares the routes of the service with those of this clone. */
export const checkVersion: Check = async ({ service }) => {
  const found = findingsOf("version");
  const { body } = await service.call({ method: "GET", path: "/openapi.json" });
  const document = documentSchema.parse(body);
  const there = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const here = routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  const missing = here.filter((name) => !there.includes(name));
  const newer = there.filter((name) => !here.includes(name));
  return orOk(
    [
      ...(missing.length === 0
        ? []
        : [found.warn(`the service lacks ${missing.join(", ")}`, "deploy this clone, or use an older one")]),
      ...(newer.length === 0
        ? []
        : [found.warn(`this clone lacks ${newer.join(", ")}`, "update this clone: git pull")]),
    ],
    found.ok(`its admin API has the ${here.length} routes of this clone`),
  );
};

/** Checks the token, and how far its role reaches. */
export const checkToken: Check = async ({ service }) => {
  const found = findingsOf("token");
  await service.call({ method: "GET", path: "/projects", query: { limit: "1" } });
  const owner = await service.answer({ method: "GET", path: "/tokens", query: { limit: "1" } });
  const ownerOnly = routes.filter((route) => permissionOf(route).leastRole === "owner").length;
  if (owner.status === 403)
    return [
      found.warn(
        `its role is not the owner's: ${ownerOnly} calls and some checks below need that`,
        "log in as owner for all of it",
      ),
    ];
  return [found.ok("it opens the admin API as owner")];
};

/** Returns the answer of a call that only an owner may make. Null for other roles. */
export async function ofOwner<T>(work: () => Promise<T>): Promise<T | null> {
  return work().catch((error: unknown) => {
    if (error instanceof CommandError && error.exit === "notAllowed") return null;
    throw error;
  });
}
