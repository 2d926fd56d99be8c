import { sourceUnreadable } from "../../base/errors/source.ts";
import { readRegular } from "./regular-file.ts";

/**
 * Reads a file of JSON that says which version of its format it has; `undefined` if there is no file.
 *
 * @param damaged - the error for a file that is malformed, or of another version
 * @throws `SOURCE_UNREADABLE`
 */
export async function readVersionedJson<Value extends object>(
  path: string,
  version: number,
  damaged: () => Error,
): Promise<Value | undefined> {
  let text: string;
  try {
    text = new TextDecoder().decode(await readRegular(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw sourceUnreadable(path, error);
  }
  const stored = tryJson(text) as (Value & { version: number }) | undefined | null;
  if (stored?.version !== version) throw damaged();
  const { version: _, ...value } = stored;
  return value as unknown as Value;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
