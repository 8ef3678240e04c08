import { reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

/** Makes a stub of each object that the running test has called, by its id. The test's own stub may be broken. */
const called = new Map<string, () => DurableObjectStub>();

const namespaces: DurableObjectNamespace = Object.getPrototypeOf(env.DIRECTORY);
const { getByName } = namespaces;
namespaces.getByName = function (this: DurableObjectNamespace, ...args) {
  const stub = getByName.apply(this, args);
  called.set(stub.id.toString(), () => getByName.apply(this, args));
  return stub;
};

/**
 * Deletes the state of all objects.
 *
 * `reset` deletes that of objects in memory only. One that was evicted or aborted keeps its files, and the next test
 * that calls it by its name would find them. So each is brought into memory first. One that cannot start keeps its
 * files.
 */
export async function startFromNothing(): Promise<void> {
  const stubs = [...called.values()];
  called.clear();
  await Promise.allSettled(stubs.map((stub) => runInDurableObject(stub(), () => {})));
  await reset();
}
