import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A connection on which a test writes a request byte by byte. */
export interface RawRequest {
  socket: Socket;
  /** Resolves to the whole response, once the server has closed the connection. */
  response: Promise<string>;
}

export const BOUNDARY = "----raw";

/** Formats a part of a form. */
export function part(disposition: string, body = "x", type = "text/plain"): string {
  return `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
}

export const filePart = (name: string, body?: string, type?: string): string =>
  part(`form-data; name="file"; filename="${name}"`, body, type);

export const END = `--${BOUNDARY}--\r\n`;

const FORM = { method: "POST", type: `multipart/form-data; boundary=${BOUNDARY}` };

/** Starts a request with these headers, a form unless it is another one; the connection closes when the test ends. */
export async function startRequest(
  url: string,
  headers: readonly string[],
  { method, type }: { method: string; type: string } = FORM,
): Promise<RawRequest> {
  const { hostname, port, pathname, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  const response = text(socket);
  response.catch(() => undefined);
  const own = [`Host: ${host}`, "Connection: close", `Content-Type: ${type}`];
  socket.write([`${method} ${pathname} HTTP/1.1`, ...own, ...headers, "", ""].join("\r\n"));
  return { socket, response };
}

/** Sends a form by fetch; returns the status and the error of the response. */
export async function sendForm(url: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: "POST",
    body: typeof body === "string" ? body : Uint8Array.from(body),
    headers: { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
  });
  return { status: response.status, ...((await response.json()) as { error?: { code: string; message: string } }) };
}
