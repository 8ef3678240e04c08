import { reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

/** Makes a new stub of each object that the running test has called, by its id. A stub breaks with its object. */
const called = new Map<string, () => DurableObjectStub>();

const namespaces: DurableObjectNamespace = Object.getPrototypeOf(env.DIRECTORY);
const { getByName } = namespaces;
namespaces.getByName = function (this: DurableObjectNamespace, name: string) {
  const stub = getByName.call(this, name);
  called.set(stub.id.toString(), () => getByName.call(this, name));
  return stub;
};

/**
 * Deletes the state of all objects.
 *
 * `reset` deletes that of objects in memory only. One that was evicted or aborted keeps its files, and the next test
 * that calls it by its name would find them. So each is brought into memory first.
 */
export async function startFromNothing(): Promise<void> {
  const stubs = [...called.values()];
  called.clear();
  await Promise.allSettled(stubs.map((stub) => runInDurableObject(stub(), () => {})));
  await reset();
}
