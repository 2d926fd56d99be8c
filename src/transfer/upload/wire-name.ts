const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Converts a file name to what an upload node reads from the multipart body. UTF-8 has no lone surrogates (U+FFFD
 * replaces them), form encoding escapes `"`, CR and LF (WHATWG HTML, multipart/form-data), and a Kubo-like node then
 * decodes backslashes before special characters, `+` and every `%41`, unless an escape is malformed.
 */
export function toNodeName(name: string): string {
  const wire = decoder.decode(encoder.encode(name)).replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22");
  const unquoted = wire.replace(/\\([()<>@,;:\\/[\]?=])/g, "$1");
  if (/%(?![0-9a-f]{2})/i.test(unquoted)) return unquoted;
  return unquoted.replaceAll("+", " ").replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    const bytes = escapes.split("%").slice(1);
    return decoder.decode(Uint8Array.from(bytes, (hex) => Number.parseInt(hex, 16)));
  });
}
