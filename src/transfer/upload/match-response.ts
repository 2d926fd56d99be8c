import type { RequestFacts } from "../../errors/facts.ts";
import { invalidResponse } from "../../errors/transport.ts";
import { type ExpectedCids, getBlock } from "./encrypted-cids.ts";
import type { UploadedFile } from "./upload-response.ts";
import { nodeName } from "./wire-name.ts";

/**
 * The answer's item of each file, in the order of `names`: the one with a content id that was computed for the file,
 * or else the one of its name.
 *
 * @throws `INVALID_RESPONSE`
 */
export function matchResponse(
  stored: readonly UploadedFile[],
  names: readonly string[],
  facts: RequestFacts,
  expected: (index: number) => ExpectedCids | undefined,
): UploadedFile[] {
  const byBlock = new Map(stored.map((item) => [getBlock(item.Hash), item]));
  const found = names.map((_, index) => {
    const block = expected(index)?.blocks.find((id) => byBlock.has(id));
    return block === undefined ? undefined : byBlock.get(block);
  });
  const taken = new Set(found);
  const byName = matchNames(
    stored.filter((item) => !taken.has(item)),
    names.filter((_, index) => !found[index]),
    facts,
  );
  return found.map((item) => item ?? (byName.shift() as UploadedFile));
}

/**
 * The answer's item of each file, in the order of `names`. A key that is saved for another file's content
 * id is lost, so names have to match: to the letter, or as a Kubo-like node reads them, which takes `+` and
 * `%41` in a name for a space and an `A`; and no item may be another file's just as well. Only where there is
 * but one file its item may have any name but that of the nameless folder around it.
 *
 * @throws `INVALID_RESPONSE`
 */
function matchNames(stored: readonly UploadedFile[], names: readonly string[], facts: RequestFacts): UploadedFile[] {
  const [only] = stored;
  if (names.length === 1 && stored.length === 1 && only?.Name) return [only];
  const items = [...new Map(stored.map((file) => [`${file.Hash} ${file.Name}`, file])).values()];
  const ofSeveral = repeated(items.map(({ Name }) => Name));
  const byName = new Map(items.flatMap((file) => (ofSeveral.has(file.Name) ? [] : [[file.Name, file]])));
  // A name that is in the answer to the letter is not looked for under another.
  const wanted = names.map((name) => (byName.has(name) ? name : nodeName(name)));
  const contested = repeated(wanted);
  return wanted.map((name, at) => {
    const file = contested.has(name) ? undefined : byName.get(name);
    if (!file) throw invalidResponse(facts, `The upload node's answer does not name ${names[at]}`);
    return file;
  });
}

/** Those that are there more than once. */
function repeated(names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
}
