import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { type AdminAccess, adminCall } from "../client/admin.ts";
import { expectAnswer, type HttpAnswer } from "../client/http.ts";
import { LaunchError } from "../terminal.ts";

/** Time for one call. A frame is at most 1 MiB. */
const CALL_TIMEOUT_MS = 30_000;
const RETRY_MS = 1_000;
/** The longest wait for a service that does not answer. The next run of the command continues. */
const GIVE_UP_MS = 300_000;

const transferSchema = z.object({
  transferId: z.string(),
  state: z.enum(["closed", "arriving", "arrived"]),
  nextFrame: z.int(),
});
/** A transfer as the admin API shows it. */
export type TransferView = z.output<typeof transferSchema>;

/** One sealed frame of a project's copy, as it is sent and stored. */
export const frameSchema = z.object({
  transferId: z.string(),
  index: z.int(),
  frame: z.string(),
  nextCursor: z.string().nullable(),
});
/** One sealed frame of a project's copy. */
export type Frame = z.output<typeof frameSchema>;

/** Reports a service that gave no answer, or only requests to come later, during the longest wait of a move. */
export class AwayError extends LaunchError {}

/** Takes true once a call got no answer and is repeated, and false once one is answered. */
export type OnAway = (isAway: boolean) => void;

/** Calls the admin API. Repeats while the service is unreachable or may be able to answer later. */
async function patient(
  { access, onAway }: { readonly access: AdminAccess; readonly onAway: OnAway },
  method: string,
  path: string,
  body?: object,
): Promise<HttpAnswer> {
  for (const begunAtMs = Date.now(); ; await sleep(RETRY_MS)) {
    const answer = await adminCall({ ...access, timeoutMs: CALL_TIMEOUT_MS }, method, path, body).catch(
      (error: unknown) => String(error),
    );
    onAway(typeof answer === "string");
    const isTemporary = typeof answer === "string" || answer.status === 503 || answer.status === 429;
    if (!isTemporary) return answer;
    if (Date.now() - begunAtMs > GIVE_UP_MS) {
      const said = typeof answer === "string" ? answer : JSON.stringify(answer.body);
      throw new AwayError(`${access.serviceUrl} did not answer for 5 minutes: ${said}. Run the command again`);
    }
  }
}

/** A service that a project leaves. */
export class Source {
  readonly #service: { readonly access: AdminAccess; readonly onAway: OnAway };
  readonly #path: string;

  constructor(access: AdminAccess, projectId: string, onAway: OnAway = () => undefined) {
    this.#service = { access, onAway };
    this.#path = `/projects/${projectId}/transfer`;
  }

  /** Closes the project. A repeat changes nothing. */
  async close(destination: string): Promise<TransferView> {
    const answer = await patient(this.#service, "POST", this.#path, { destination });
    return expectAnswer("closing the project", answer, transferSchema);
  }

  /** Yields the frames from a cursor on, and reads the next one at the same time. Null starts at the first one. */
  async *frames(cursor: string | null): AsyncGenerator<Frame> {
    for (let reading: Promise<Frame> | null = this.#read(cursor); reading !== null; ) {
      const frame: Frame = await reading;
      reading = frame.nextCursor === null ? null : this.#read(frame.nextCursor);
      // A failure is thrown by the next turn, which may never come.
      reading?.catch(() => undefined);
      yield frame;
    }
  }

  async #read(cursor: string | null): Promise<Frame> {
    const query = cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    return expectAnswer(
      "reading a frame",
      await patient(this.#service, "GET", `${this.#path}/frames${query}`),
      frameSchema,
    );
  }
}

/** A service to which a project goes. */
export class Target {
  readonly #service: { readonly access: AdminAccess; readonly onAway: OnAway };
  readonly #path: string;

  constructor(access: AdminAccess, projectId: string, onAway: OnAway = () => undefined) {
    this.#service = { access, onAway };
    this.#path = `/projects/${projectId}/transfer`;
  }

  /** Returns the number of the first frame that the service still needs of a transfer. */
  async nextFrame(transferId: string): Promise<number> {
    const answer = await patient(this.#service, "GET", this.#path);
    const transfer = transferSchema.safeParse(answer.body);
    if (!transfer.success || transfer.data.transferId !== transferId) return 0;
    return transfer.data.state === "closed" ? 0 : transfer.data.nextFrame;
  }

  /**
   * Sends a frame. A repeat changes nothing.
   *
   * @param recover true if the old service may have worked on after the copy.
   */
  async take({ transferId, index, frame }: Frame, recover: boolean): Promise<TransferView> {
    const answer = await patient(this.#service, "POST", `${this.#path}/frames`, { transferId, index, frame, recover });
    return expectAnswer(`sending frame ${index}`, answer, transferSchema);
  }
}
