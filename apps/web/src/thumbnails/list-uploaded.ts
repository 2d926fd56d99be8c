import type { UploadEntry } from "@keeplight/react";

/** Lists the files of a complete upload that are on this device, by content id; of a folder, those that are rows of their own. */
export function listUploaded({ source, state }: Pick<UploadEntry, "source" | "state">): [cid: string, file: File][] {
  if (state.status !== "done") return [];
  const { files } = state;
  if (source instanceof File) return [[files[0].Hash, source]];
  if (!Array.isArray(source) || files.length !== source.length) return [];
  return source.flatMap((part: unknown, at): [string, File][] => {
    const { Name: path = "", Hash: cid = "" } = files[at] ?? {};
    // A thumbnail of another file would be worse than none.
    return part instanceof File && `/${path}`.endsWith(`/${part.webkitRelativePath}`) ? [[cid, part]] : [];
  });
}
