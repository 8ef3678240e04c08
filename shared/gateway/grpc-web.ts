import { concatBytes, utf8 } from "../bytes.ts";
import { FRAME_HEADER_BYTES } from "../chain/sui/grpc/bounded-fetch.ts";

/** gRPC-web (grpc/grpc, `doc/PROTOCOL-WEB.md`). A frame is one flag byte, a length of four bytes, and the payload. */

const TRAILER_FLAG = 0x80;
const COMPRESSED_FLAG = 0x01;

/** The text form carries the same frames in base64. */
export type GrpcWebFormat = "binary" | "text";

/** Returns the form of gRPC-web by the content type. Null if it is not gRPC-web. */
export function grpcWebFormat(headers: Headers): GrpcWebFormat | null {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  const [, text] = /^application\/grpc-web(-text)?(?:\+proto)?$/i.exec(type.trim()) ?? [null];
  if (text === null) return null;
  return text === undefined ? "binary" : "text";
}

const CONTENT_TYPES = { binary: "application/grpc-web+proto", text: "application/grpc-web-text+proto" } as const;

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Builds an answer that holds only its status. */
export function statusResponse(
  format: GrpcWebFormat,
  {
    code,
    message,
    trailers = {},
    status = 200,
    headers = {},
  }: {
    readonly code: number;
    readonly message: string;
    readonly trailers?: Readonly<Record<string, string>>;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Response {
  const all = { "grpc-status": String(code), "grpc-message": encodeURIComponent(message), ...trailers };
  const payload = utf8(
    Object.entries(all)
      .map(([name, value]) => `${name}:${value}\r\n`)
      .join(""),
  );
  const header = new Uint8Array(FRAME_HEADER_BYTES);
  header[0] = TRAILER_FLAG;
  new DataView(header.buffer).setUint32(1, payload.length);
  const frame = concatBytes(header, payload);
  return new Response(format === "text" ? toBase64(frame) : frame, {
    status,
    headers: { "content-type": CONTENT_TYPES[format], ...headers },
  });
}

/** Decodes base64, whose pieces may each have their own padding. Null if it is not base64. */
function decodedText(body: Uint8Array): Uint8Array | null {
  try {
    const pieces = new TextDecoder().decode(body).match(/[^=]+=*/g) ?? [];
    return concatBytes(...pieces.map((piece) => Uint8Array.from(atob(piece), (char) => char.charCodeAt(0))));
  } catch {
    return null;
  }
}

/** A complete reply of gRPC-web. */
export interface WholeBody {
  /** True if there is a message before the trailers. */
  readonly hasMessage: boolean;
  /** The gRPC status of the trailers. Null if they name none. */
  readonly status: number | null;
}

/** Reads a body that came whole. Null if it does not end with trailers, as every whole answer does. */
export function readWhole(format: GrpcWebFormat, body: Uint8Array): WholeBody | null {
  const bytes = format === "text" ? decodedText(body) : body;
  if (bytes === null) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hasMessage = false;
  for (let at = 0; at + FRAME_HEADER_BYTES <= bytes.length; ) {
    const flag = view.getUint8(at);
    const end = at + FRAME_HEADER_BYTES + view.getUint32(at + 1);
    if (end > bytes.length) return null;
    if ((flag & TRAILER_FLAG) === 0) {
      hasMessage = true;
      at = end;
      continue;
    }
    const isReadable = end === bytes.length && (flag & COMPRESSED_FLAG) === 0;
    return isReadable ? { hasMessage, status: statusIn(bytes.subarray(at + FRAME_HEADER_BYTES, end)) } : null;
  }
  return null;
}

function statusIn(trailers: Uint8Array): number | null {
  const [, code] =
    /(?:^|\n)grpc-status:[ \t]*([0-9]{1,3})[ \t]*(?:\r|\n|$)/i.exec(new TextDecoder().decode(trailers)) ?? [];
  return code === undefined ? null : Number(code);
}
