import { fromBase64, toBase64 } from "@mysten/sui/utils";
import { type GrpcCode, type GrpcStatus, invalidArgument } from "./status.ts";

const FRAME_HEADER_BYTES = 5;
const MESSAGE_FRAME = 0x00;
const TRAILER_FRAME = 0x80;

export type GrpcWebFormat = "binary" | "text";

/** The wire format of a request: the text format carries the same frames in base64. */
export function formatOf(request: Request): GrpcWebFormat {
  const contentType = request.headers.get("content-type") ?? "";
  return contentType.startsWith("application/grpc-web-text") ? "text" : "binary";
}

/** Reads the one message of a unary call. Throws {@link GrpcStatus} when the frame is not whole. */
export async function readMessage(request: Request): Promise<Uint8Array> {
  const raw = new Uint8Array(await request.arrayBuffer());
  const body = formatOf(request) === "text" ? fromBase64(new TextDecoder().decode(raw)) : raw;
  if (body.length < FRAME_HEADER_BYTES || body[0] !== MESSAGE_FRAME) {
    throw invalidArgument("the body does not start with an uncompressed gRPC message frame");
  }
  const length = new DataView(body.buffer, body.byteOffset).getUint32(1, false);
  if (body.length < FRAME_HEADER_BYTES + length) throw invalidArgument("the gRPC message frame is cut short");
  return body.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + length);
}

export function messageResponse(format: GrpcWebFormat, ...messages: readonly Uint8Array[]): Response {
  return framesResponse(format, [...messages.map((message) => frame(MESSAGE_FRAME, message)), trailers(0, "")]);
}

/** An answer whose connection was lost in the middle of its messages. */
export function cutResponse(format: GrpcWebFormat, ...messages: readonly Uint8Array[]): Response {
  const whole = concatBytes(messages.map((message) => frame(MESSAGE_FRAME, message)));
  return framesResponse(format, [whole.subarray(0, Math.floor(whole.length / 2))]);
}

export function statusResponse(format: GrpcWebFormat, code: GrpcCode, message: string): Response {
  return framesResponse(format, [trailers(code, message)]);
}

export function errorResponse(format: GrpcWebFormat, status: GrpcStatus): Response {
  return statusResponse(format, status.code, status.message);
}

function framesResponse(format: GrpcWebFormat, frames: readonly Uint8Array[]): Response {
  const body = concatBytes(frames);
  const contentType = format === "text" ? "application/grpc-web-text+proto" : "application/grpc-web+proto";
  return new Response(format === "text" ? toBase64(body) : body, { headers: { "content-type": contentType } });
}

function trailers(code: number, message: string): Uint8Array {
  const lines = [`grpc-status:${code}`];
  if (message !== "") lines.push(`grpc-message:${encodeURIComponent(message)}`);
  if (code !== 0) lines.push(`grpc-status-details-bin:${toBase64(statusBytes(code, message)).replace(/=+$/, "")}`);
  return frame(TRAILER_FRAME, new TextEncoder().encode(lines.map((line) => `${line}\r\n`).join("")));
}

/** `google.rpc.Status`: 1 the code, 2 the message. A node lists field violations behind them. */
function statusBytes(code: number, message: string): Uint8Array {
  const text = new TextEncoder().encode(message);
  return concatBytes([Uint8Array.of(0x08, code, 0x12), varint(text.length), text]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

function frame(flag: number, payload: Uint8Array): Uint8Array {
  const framed = new Uint8Array(FRAME_HEADER_BYTES + payload.length);
  framed[0] = flag;
  new DataView(framed.buffer).setUint32(1, payload.length, false);
  framed.set(payload, FRAME_HEADER_BYTES);
  return framed;
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
