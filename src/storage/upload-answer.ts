import { invalidAnswer, invalidJson, type RequestFacts } from "../errors/transport.ts";
import type { Answer } from "../http/answer.ts";
import { textField } from "../input/fields.ts";

/** One file or folder that the upload node has stored. */
export interface UploadedFile {
  /** As it was sent; the name of a folder's file begins with the folder's. */
  Name: string;
  /** Content id. */
  Hash: string;
  /** Bytes as stored, a decimal string. */
  Size?: string | undefined;
}

/**
 * Reads an upload node's answer in any of the forms in use: one object, a list, a list after other text,
 * or one object per line.
 *
 * @throws `INVALID_JSON` 'Invalid JSON response', or 'No JSON array found in response' where a list is needed
 */
export function readUploadAnswer(answer: Answer, wantsList: boolean): UploadedFile[] {
  const found = parse(answer.text);
  if (found === undefined) {
    throw wantsList
      ? invalidAnswer(answer.facts, "No JSON array found in response")
      : invalidJson(answer.facts, answer.status);
  }
  const files = found.map(readFile);
  if (files.length === 0 || !files.every((file) => file !== undefined)) {
    throw invalidAnswer(answer.facts, "The upload node's answer names no file");
  }
  return files;
}

function readFile(item: unknown): UploadedFile | undefined {
  const Name = textField(item, "Name");
  const Hash = textField(item, "Hash");
  const Size = textField(item, "Size");
  const oddSize = Size === undefined && typeof item === "object" && item !== null && "Size" in item;
  if (Name === undefined || Hash === undefined || oddSize) return undefined;
  return { Name, Hash, ...(Size === undefined ? {} : { Size }) };
}

/**
 * The answer's item of each file, in the order of `names`. A key that is saved for another file's content
 * id is lost, so names have to match: to the letter, or as a Kubo-like node reads them, which takes `+` and
 * `%41` in a name for a space and an `A`; and no item may be another file's just as well. Only where there is
 * but one file its item may have any name but that of the nameless folder around it.
 *
 * @throws `INVALID_ANSWER`
 */
export function matchAnswer(
  stored: readonly UploadedFile[],
  names: readonly string[],
  facts: RequestFacts,
): UploadedFile[] {
  const [only] = stored;
  if (names.length === 1 && stored.length === 1 && only?.Name) return [only];
  const items = [...new Map(stored.map((file) => [`${file.Hash} ${file.Name}`, file])).values()];
  const ofSeveral = repeated(items.map(({ Name }) => Name));
  const byName = new Map(items.flatMap((file) => (ofSeveral.has(file.Name) ? [] : [[file.Name, file]])));
  // A name that is in the answer to the letter is not looked for under another.
  const wanted = names.map((name) => (byName.has(name) ? name : unescaped(name)));
  const contested = repeated(wanted);
  return wanted.map((name, at) => {
    const file = contested.has(name) ? undefined : byName.get(name);
    if (!file) throw invalidAnswer(facts, `The upload node's answer does not name ${names[at]}`);
    return file;
  });
}

/** Those that are there more than once. */
function repeated(names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll("+", " "));
  } catch {
    return name;
  }
}

function parse(text: string): unknown[] | undefined {
  const whole = tryJson(text);
  if (Array.isArray(whole)) return whole;
  if (typeof whole === "object" && whole !== null) return [whole];
  return lines(text) ?? lastList(text);
}

function lines(text: string): unknown[] | undefined {
  const items = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(tryJson);
  return items.length > 0 && items.every((line) => typeof line === "object" && line !== null && !Array.isArray(line))
    ? items
    : undefined;
}

/** The list that the text ends with: it begins at one of the text's brackets. */
function lastList(text: string): unknown[] | undefined {
  const end = text.trimEnd();
  if (!end.endsWith("]")) return undefined;
  for (let at = end.lastIndexOf("["); at >= 0; at = at === 0 ? -1 : end.lastIndexOf("[", at - 1)) {
    const list = tryJson(end.slice(at));
    if (Array.isArray(list)) return list;
  }
  return undefined;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
