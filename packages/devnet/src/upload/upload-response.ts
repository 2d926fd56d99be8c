import type { Imported } from "../content/importer.ts";
import type { ResponseForm } from "../options.ts";

/** An item of the upload node's response. */
interface Item {
  Name: string;
  Hash: string;
  /** A decimal string. */
  Size: string;
}

/** Body and content type of the upload node's response. */
export interface UploadResponse {
  body: string;
  type: string;
}

/**
 * Formats the response to an upload.
 *
 * @param entries files, then folders, the root last.
 * @param roots those of them that are in no folder.
 * @param encrypted with the form `auto`, the response to an encrypted upload is a list of its files.
 */
export function toUploadResponse(
  form: ResponseForm,
  entries: readonly Imported[],
  roots: readonly Imported[],
  encrypted: boolean,
): UploadResponse {
  const all = entries.map(toItem);
  const root = all.at(-1);
  switch (form) {
    case "object":
      return toJson(root);
    case "list":
      return toJson(all);
    case "prefixed-list": {
      const progress = entries.map(({ path, treeBytes }) => JSON.stringify({ Name: path, Bytes: treeBytes }));
      return { body: `${progress.join("\n")}\n${JSON.stringify(all)}`, type: "text/plain; charset=utf-8" };
    }
    case "ndjson":
      return { body: all.map((one) => `${JSON.stringify(one)}\n`).join(""), type: "application/json" };
    case "auto":
      if (encrypted) return toJson(entries.filter(({ isFolder }) => !isFolder).map(toItem));
      return toJson(roots.length === 1 ? root : roots.map(toItem));
  }
}

function toItem({ path, cid, treeBytes }: Imported): Item {
  return { Name: path, Hash: cid, Size: String(treeBytes) };
}

function toJson(value: unknown): UploadResponse {
  return { body: JSON.stringify(value), type: "application/json" };
}
