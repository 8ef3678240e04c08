import { describeOverload, overload } from "../overload/overload.ts";
import { withSelfHost } from "../overload/self-host.ts";

const SECONDS = Number(process.env.OVERLOAD_SECONDS ?? 60);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 2_000);

/** A minute at three times of what `npm run self-host` can do. */
export async function benchOverload(): Promise<void> {
  await withSelfHost(async (hosted) => {
    console.log(describeOverload(await overload(hosted, { factor: 3, seconds: SECONDS, requests: REQUESTS })));
  });
}
