import { toNodeName } from "keeplight/parts";

/**
 * Returns the names to store files under, whose paths in the source these are: the paths with `-` for `/`, and numbers before
 * those that others have.
 *
 * @param others - names that are taken
 */
export function toStoredNames(paths: readonly string[], others: readonly string[]): { path: string; name: string }[] {
  const taken = new Set(others.map(toNodeName));
  return paths.map((path) => {
    const flat = path.replaceAll("/", "-");
    let name = flat;
    for (let number = 2; taken.has(toNodeName(name)); number++) name = `${number}-${flat}`;
    taken.add(toNodeName(name));
    return { path, name };
  });
}
