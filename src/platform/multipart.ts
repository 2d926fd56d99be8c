/** The framing of one `multipart/form-data` body (RFC 7578), as browsers format it. */
export interface MultipartFraming {
  boundary: string;
  contentType: string;
  /** Precedes a file's bytes. */
  head(fileName: string, type: string): Uint8Array;
  /** Follows a file's bytes. */
  foot: Uint8Array;
  /** Ends the body. */
  end: Uint8Array;
}

const utf8 = new TextEncoder();

/** Creates the framing with a random boundary, for parts of the form field `file`. */
export function createFraming(): MultipartFraming {
  const random = crypto.getRandomValues(new Uint8Array(16));
  const boundary = `----keeplight${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  return {
    boundary,
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: (fileName, type) =>
      utf8.encode(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escapeName(fileName)}"\r\n` +
          `Content-Type: ${type}\r\n\r\n`,
      ),
    foot: utf8.encode("\r\n"),
    end: utf8.encode(`--${boundary}--\r\n`),
  };
}

/** Encodes a file name as WHATWG forms do: escapes only what would end the quotes. */
function escapeName(fileName: string): string {
  return fileName.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
}
