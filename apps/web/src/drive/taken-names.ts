import type { Drive } from "@keeplight/drive";
import type { DroppedSource } from "../files/dropped-files.ts";
import { joinPath } from "../routes.ts";

/** What is known of a folder's names. */
type Names = Pick<Drive, "find">;

/** Lists the single files among sources whose names files of a folder have: each would become a new version of one. */
export function listTaken(drive: Names | undefined, folder: string, sources: readonly DroppedSource[]): File[] {
  return sources.flatMap((source) => {
    const isTaken = source instanceof File && drive?.find(joinPath(folder, toName(source)))?.type === "file";
    return isTaken ? source : [];
  });
}

/**
 * Gives files other names, which nothing in the folder has, and none of the other sources.
 *
 * @returns the renamed files, by the files themselves; nothing is copied
 */
export function renameTaken(
  drive: Names | undefined,
  folder: string,
  sources: readonly DroppedSource[],
  taken: readonly File[],
): Map<DroppedSource, File> {
  const used = new Set(sources.flatMap((source) => (source instanceof File ? toName(source) : [])));
  const isFree = (name: string) => !used.has(name) && !drive?.find(joinPath(folder, name));
  return new Map(
    taken.map((file) => {
      let number = 2;
      while (!isFree(addNumber(toName(file), number))) number++;
      const name = addNumber(toName(file), number);
      used.add(name);
      const { type, lastModified } = file;
      return [file, new File([file], name, { type, lastModified })];
    }),
  );
}

/** As the drive compares names. */
const toName = ({ name }: File) => name.normalize("NFC");

/** Returns `photo (2).jpg` for `photo.jpg`. */
function addNumber(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`;
}
