import type { FormPart, Wire } from "./row.ts";

/** Headers of HTTP itself; the recorded body implies its type. */
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

/** Records a request in the form of the expected ones. */
export async function recordRequest(request: Request): Promise<Wire> {
  const { method, url } = request;
  const text = Buffer.from(await request.arrayBuffer()).toString("latin1");
  const headers = Object.fromEntries([...request.headers].filter(([name]) => !HTTP_HEADERS.includes(name)));
  const type = request.headers.get("content-type") ?? "";
  if (type === "application/json") return { method, url, headers, body: { json: JSON.parse(text) } };
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(type)?.[1];
  if (boundary !== undefined) return { method, url, headers, body: { form: parseForm(text, boundary) } };
  // A POST without a body is announced as an empty form.
  if (text !== "" || !["", "application/x-www-form-urlencoded"].includes(type)) {
    throw new Error(`a body of type "${type}": ${text}`);
  }
  return { method, url, headers };
}

/** Replaces the content of each form part by its length where `expected` has a length, otherwise by its UTF-8 text. */
export function normalizeForms(expected: readonly Wire[], sent: readonly Wire[]): Wire[] {
  return sent.map((wire, index) => {
    const expectedForm = getForm(expected[index]);
    const form = getForm(wire)?.map((part, at) => {
      const bytes = String(part.content);
      return { ...part, content: typeof expectedForm?.[at]?.content === "number" ? bytes.length : decodeUtf8(bytes) };
    });
    return form ? { ...wire, body: { form } } : wire;
  });
}

function getForm(wire: Wire | undefined): FormPart[] | undefined {
  return wire?.body && "form" in wire.body ? wire.body.form : undefined;
}

/** Parses a form with one character per byte, strictly by RFC 7578. */
function parseForm(text: string, boundary: string): FormPart[] {
  const [before, ...parts] = text.split(`--${boundary}`);
  if (before !== "" || parts.pop() !== "--\r\n") throw new Error(`not a form: ${text}`);
  return parts.map((part) => {
    const { disposition, type, content } =
      /^\r\nContent-Disposition: (?<disposition>.*)\r\nContent-Type: (?<type>.*)\r\n\r\n(?<content>[\s\S]*)\r\n$/.exec(
        part,
      )?.groups ?? {};
    if (disposition === undefined || type === undefined || content === undefined) throw new Error(`no part: ${part}`);
    return { disposition: decodeUtf8(disposition), type, content };
  });
}

function decodeUtf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
