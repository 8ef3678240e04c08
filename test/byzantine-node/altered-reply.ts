/** A gRPC-web message frame: a flag, the length of the message, the message. The trailers follow in a frame of their own. */
const HEADER_BYTES = 5;

interface Message<Reply> {
  fromBinary(bytes: Uint8Array): Reply;
  toBinary(reply: Reply): Uint8Array;
}

/** Another message frame in place of a reply's first. */
export function withMessage(body: Uint8Array, message: Uint8Array): Uint8Array<ArrayBuffer> {
  const end = HEADER_BYTES + new DataView(body.buffer, body.byteOffset).getUint32(1);
  const trailers = body.subarray(end);
  const out = new Uint8Array(HEADER_BYTES + message.length + trailers.length);
  new DataView(out.buffer).setUint32(1, message.length);
  out.set(message, HEADER_BYTES);
  out.set(trailers, HEADER_BYTES + message.length);
  return out;
}

/** The message of a reply's first frame. */
export function messageOf(body: Uint8Array): Uint8Array {
  return body.subarray(HEADER_BYTES, HEADER_BYTES + new DataView(body.buffer, body.byteOffset).getUint32(1));
}

/** A change to the messages of one method, `Service/Method`. */
export interface Alter {
  readonly method: string;
  apply(message: Uint8Array): Uint8Array;
}

export function alteration<Reply>(method: string, type: Message<Reply>, change: (reply: Reply) => void): Alter {
  return {
    method,
    apply(message) {
      const reply = type.fromBinary(message);
      change(reply);
      return type.toBinary(reply);
    },
  };
}

/** What a node would say that says something else in one method. */
export async function altered(url: string, response: Response, alter: Alter | null): Promise<Response> {
  if (alter === null || !url.endsWith(`.${alter.method}`)) return response;
  const body = new Uint8Array(await response.arrayBuffer());
  return body[0] === 0
    ? new Response(withMessage(body, alter.apply(messageOf(body))), response)
    : new Response(body, response);
}
