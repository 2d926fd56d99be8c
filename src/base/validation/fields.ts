/**
 * Reads the string field `name` of a value of unknown shape, or `undefined`. Uploading and decrypting read responses only
 * with this, so that a page that does no more loads no schema library.
 */
export function textField(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const field: unknown = Reflect.get(value, name);
  return typeof field === "string" ? field : undefined;
}
