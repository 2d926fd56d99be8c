import type { ListedFile } from "keeplight";
import { useState } from "react";

const none: ReadonlySet<string> = new Set();

/** The ids of the files that the latest loading of the list has added to those that were shown before. */
export function useNewFiles(files: readonly ListedFile[], isLoaded: boolean): ReadonlySet<string> {
  const [state, setState] = useState<{ files: readonly ListedFile[]; added: ReadonlySet<string> }>();
  if (isLoaded && state?.files !== files) {
    const known = new Set(state?.files.map(({ id }) => id));
    const added = files.map(({ id }) => id).filter((id) => !known.has(id));
    setState({ files, added: state === undefined ? none : new Set(added) });
  }
  return state?.added ?? none;
}
