const NONCE_BYTES = 28;
const HEAD_END = "\r\n\r\n";

/** The salt and iv of every encrypted file that was sent, even if not all of it. */
export interface SaltRecord {
  /** Adds the files of a multipart body. */
  add(body: Buffer, contentType: string): void;
  /** Those that more than one transfer had, in hex. */
  repeated: string[];
}

export function createSaltRecord(): SaltRecord {
  const seen = new Set<string>();
  const repeated: string[] = [];
  return {
    repeated,
    add(body, contentType) {
      const [, boundary = ""] = /boundary="?([^";]+)/.exec(contentType) ?? [];
      for (let at = body.indexOf(`--${boundary}`); at !== -1; at = body.indexOf(`--${boundary}`, at + 1)) {
        const head = body.indexOf(HEAD_END, at);
        const start = head + HEAD_END.length;
        if (head === -1 || start + NONCE_BYTES > body.length) return;
        const nonces = body.subarray(start, start + NONCE_BYTES).toString("hex");
        if (seen.has(nonces)) repeated.push(nonces);
        seen.add(nonces);
      }
    },
  };
}
