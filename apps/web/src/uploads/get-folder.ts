import type { OpenOperation } from "keeplight";

/** Returns the name of the folder that an operation uploads as a whole; `undefined` if it is of single files. */
export function getFolder({ kind, folder, names }: Pick<OpenOperation, "kind" | "folder" | "names">) {
  if (folder !== undefined || kind !== "upload") return folder;
  const folders = new Set(names.map((name) => name.slice(0, Math.max(0, name.indexOf("/")))));
  const [only] = folders;
  return folders.size === 1 && only !== "" ? only : undefined;
}
