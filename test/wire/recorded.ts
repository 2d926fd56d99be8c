import type { FormPart, Wire } from "./row.ts";

/** What HTTP itself needs; a body's type is told by the body. */
const HTTP_HEADERS = [
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "host",
  "transfer-encoding",
  "user-agent",
];

/** A request as it came in, for comparison with how it had to be. */
export async function recorded(request: Request): Promise<Wire> {
  const { method, url } = request;
  const text = Buffer.from(await request.arrayBuffer()).toString("latin1");
  const headers = Object.fromEntries([...request.headers].filter(([name]) => !HTTP_HEADERS.includes(name)));
  const type = request.headers.get("content-type") ?? "";
  if (type === "application/json") return { method, url, headers, body: { json: JSON.parse(text) } };
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(type)?.[1];
  if (boundary !== undefined) return { method, url, headers, body: { form: partsOf(text, boundary) } };
  // A POST without a body is announced as an empty form.
  if (text !== "" || !["", "application/x-www-form-urlencoded"].includes(type)) {
    throw new Error(`a body of type "${type}": ${text}`);
  }
  return { method, url, headers };
}

/** Requests that came in, their parts told by text or by size as the expected ones are. */
export function inTermsOf(expected: readonly Wire[], sent: readonly Wire[]): Wire[] {
  return sent.map((wire, index) => {
    const wanted = formOf(expected[index]);
    const form = formOf(wire)?.map((part, at) => {
      const bytes = String(part.content);
      return { ...part, content: typeof wanted?.[at]?.content === "number" ? bytes.length : utf8(bytes) };
    });
    return form ? { ...wire, body: { form } } : wire;
  });
}

function formOf(wire: Wire | undefined): FormPart[] | undefined {
  return wire?.body && "form" in wire.body ? wire.body.form : undefined;
}

/** Parts of a form with one character per byte, strictly as RFC 7578 frames them. */
function partsOf(text: string, boundary: string): FormPart[] {
  const [before, ...parts] = text.split(`--${boundary}`);
  if (before !== "" || parts.pop() !== "--\r\n") throw new Error(`not a form: ${text}`);
  return parts.map((part) => {
    const { disposition, type, content } =
      /^\r\nContent-Disposition: (?<disposition>.*)\r\nContent-Type: (?<type>.*)\r\n\r\n(?<content>[\s\S]*)\r\n$/.exec(
        part,
      )?.groups ?? {};
    if (disposition === undefined || type === undefined || content === undefined) throw new Error(`no part: ${part}`);
    return { disposition: utf8(disposition), type, content };
  });
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
