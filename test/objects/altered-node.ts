import { vi } from "vitest";

/** A gRPC-web message frame: a flag, the length of the message, the message. The trailers follow in a frame of their own. */
const HEADER_BYTES = 5;

interface Alteration {
  /** `Service/Method`. */
  readonly method: string;
  readonly apply: (message: Uint8Array) => Uint8Array;
}

/** A change to the replies of one method of the node. */
export function alteration<Reply>(
  method: string,
  type: { fromBinary(bytes: Uint8Array): Reply; toBinary(reply: Reply): Uint8Array },
  alter: (reply: Reply) => void,
): Alteration {
  return {
    method,
    apply: (message) => {
      const reply = type.fromBinary(message);
      alter(reply);
      return type.toBinary(reply);
    },
  };
}

function withMessage(body: Uint8Array, apply: Alteration["apply"]): Uint8Array<ArrayBuffer> {
  const end = HEADER_BYTES + new DataView(body.buffer, body.byteOffset).getUint32(1);
  const message = apply(body.subarray(HEADER_BYTES, end));
  const trailers = body.subarray(end);
  const out = new Uint8Array(HEADER_BYTES + message.length + trailers.length);
  new DataView(out.buffer).setUint32(1, message.length);
  out.set(message, HEADER_BYTES);
  out.set(trailers, HEADER_BYTES + message.length);
  return out;
}

/** Between the service and the development chain from here on, until `vi.restoreAllMocks`: a node that lies. */
export function alterReplies(...alterations: readonly Alteration[]): void {
  const honest = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const response = await honest(input, init);
    const wanted = alterations.filter(({ method }) => url.endsWith(`.${method}`));
    // A status without a message has nothing to alter.
    if (wanted.length === 0 || !response.ok) return response;
    const honestBody = new Uint8Array(await response.arrayBuffer());
    if (honestBody[0] !== 0) return new Response(honestBody, response);
    const body = wanted.reduce((altered, { apply }) => withMessage(altered, apply), honestBody);
    return new Response(body, response);
  });
}
