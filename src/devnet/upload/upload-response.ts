import type { Imported } from "../content/importer.ts";
import type { ResponseForm } from "../options.ts";

/** An item of the upload node's answer. */
interface Item {
  Name: string;
  Hash: string;
  /** A decimal string. */
  Size: string;
}

/** What the upload node has to say, and how. */
export interface UploadAnswer {
  body: string;
  type: string;
}

/**
 * Words the answer to an upload.
 *
 * @param entries files, then folders, the root last.
 * @param roots those of them that no other holds.
 * @param encrypted an encrypted upload is answered, where the form is `auto`, by a list of its files.
 */
export function wordAnswer(
  form: ResponseForm,
  entries: readonly Imported[],
  roots: readonly Imported[],
  encrypted: boolean,
): UploadAnswer {
  const all = entries.map(item);
  const root = all.at(-1);
  switch (form) {
    case "object":
      return json(root);
    case "list":
      return json(all);
    case "prefixed-list": {
      const progress = entries.map(({ path, treeBytes }) => JSON.stringify({ Name: path, Bytes: treeBytes }));
      return { body: `${progress.join("\n")}\n${JSON.stringify(all)}`, type: "text/plain; charset=utf-8" };
    }
    case "ndjson":
      return { body: all.map((one) => `${JSON.stringify(one)}\n`).join(""), type: "application/json" };
    case "auto":
      if (encrypted) return json(entries.filter(({ isFolder }) => !isFolder).map(item));
      return json(roots.length === 1 ? root : roots.map(item));
  }
}

function item({ path, cid, treeBytes }: Imported): Item {
  return { Name: path, Hash: cid, Size: String(treeBytes) };
}

function json(value: unknown): UploadAnswer {
  return { body: JSON.stringify(value), type: "application/json" };
}
