/**
 * The text that a value of unknown shape has under `name`, or `undefined`. Uploading and decrypting read their answers
 * by this alone, so that a page that does no more loads no schema library.
 */
export function textField(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const field: unknown = Reflect.get(value, name);
  return typeof field === "string" ? field : undefined;
}
