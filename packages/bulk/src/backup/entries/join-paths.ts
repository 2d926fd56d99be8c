import { comparePaths } from "./compare-paths.ts";

/** What two lists have of one path. */
export interface Joined<Left, Right> {
  left?: Left;
  right?: Right;
}

/** Joins two lists that are sorted by path, in constant memory. */
export async function* joinPaths<Left extends { path: string }, Right extends { path: string }>(
  lefts: AsyncIterable<Left>,
  rights: AsyncIterable<Right>,
): AsyncGenerator<Joined<Left, Right>> {
  const others = rights[Symbol.asyncIterator]();
  try {
    let other = await others.next();
    for await (const left of lefts) {
      while (!other.done && comparePaths(other.value.path, left.path) < 0) {
        yield { right: other.value };
        other = await others.next();
      }
      if (!other.done && other.value.path === left.path) {
        yield { left, right: other.value };
        other = await others.next();
      } else {
        yield { left };
      }
    }
    for (; !other.done; other = await others.next()) yield { right: other.value };
  } finally {
    await others.return?.();
  }
}
