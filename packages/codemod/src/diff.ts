import { createTwoFilesPatch } from "diff";

/** Formats the difference of two texts as a patch that git applies; empty if there is none. */
export function formatDiff(name: string, before: string, after: string): string {
  if (before === after) return "";
  const patch = createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after, undefined, undefined, { context: 3 });
  return patch.replace(/^=+\n/, "").replace(/\n$/, "");
}
