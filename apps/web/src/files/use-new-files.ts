import type { ListedFile } from "keeplight";
import { useState } from "react";

const none: ReadonlySet<string> = new Set();

/** What was shown, and what the latest change has added to it. */
interface Shown {
  files: readonly ListedFile[];
  ids: ReadonlySet<string>;
  added: ReadonlySet<string>;
}

/** The ids of the files that the latest change of the list has added to those that were shown before. */
export function useNewFiles(files: readonly ListedFile[], isLoaded: boolean): ReadonlySet<string> {
  const [state, setState] = useState<Shown>();
  if (isLoaded && state?.files !== files) {
    const ids = new Set(files.map(({ id }) => id));
    const added = new Set([...ids].filter((id) => !state?.ids.has(id)));
    // What only changed in other ways stays as it was marked.
    setState({ files, ids, added: !state ? none : added.size > 0 ? added : state.added });
  }
  return state?.added ?? none;
}
