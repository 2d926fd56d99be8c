/** What a response is made of. */
export interface Respondent {
  size: number;
  getType(): Promise<string>;
  /** Streams bytes `from` to `to` (exclusive). */
  stream(from: number, to: number): ReadableStream<Uint8Array>;
}

/** Answers a request for a file, or for a range of it (RFC 9110, section 14), as players of film and sound make them. */
export async function respond(file: Respondent, request?: Pick<Request, "method" | "headers">): Promise<Response> {
  const { size } = file;
  const headers = new Headers({
    "Accept-Ranges": "bytes",
    "Content-Type": await file.getType(),
    // No scripts, whatever the file is.
    "Content-Security-Policy": "sandbox",
    "X-Content-Type-Options": "nosniff",
  });
  const range = readRange(request?.headers.get("range") ?? "", size);
  if (range === "unsatisfiable") {
    headers.set("Content-Range", `bytes */${size}`);
    return new Response(null, { status: 416, headers });
  }
  const { from, to } = range ?? { from: 0, to: size };
  headers.set("Content-Length", String(to - from));
  if (range) headers.set("Content-Range", `bytes ${from}-${to - 1}/${size}`);
  const body = request?.method === "HEAD" ? null : file.stream(from, to);
  return new Response(body, { status: range ? 206 : 200, headers });
}

/** Parses a `Range` of one range; other headers are ignored, as the RFC allows. */
function readRange(header: string, size: number): { from: number; to: number } | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size };
  }
  const from = Number(first);
  const to = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < from) return undefined;
  return from < size ? { from, to } : "unsatisfiable";
}
