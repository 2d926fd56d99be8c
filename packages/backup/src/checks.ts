import { resolve } from "node:path";
import { type Check, invalidOption } from "keeplight/parts";

/** The path of a folder, made absolute. */
export const folderPath: Check<string> = (folder, name) => {
  if (typeof folder !== "string" || folder === "") throw invalidOption(name, "the path of a folder");
  return resolve(folder);
};

/** Words of a snapshot: each once, sorted. */
export const tagList: Check<string[]> = (tags = [], name) => {
  const isWord = (tag: unknown) => typeof tag === "string" && tag !== "" && tag.length <= 100;
  if (!Array.isArray(tags) || !tags.every(isWord)) throw invalidOption(name, "a list of words of up to 100 characters");
  return [...new Set(tags as string[])].sort();
};

/** A path in a snapshot, with `/` between folders; those at its end do not count. */
export const entryPath: Check<string | undefined> = (path, name) => {
  if (path === undefined) return undefined;
  const trimmed = typeof path === "string" ? path.replace(/\/+$/, "") : "";
  if (trimmed === "") throw invalidOption(name, "a path in the snapshot");
  return trimmed;
};
