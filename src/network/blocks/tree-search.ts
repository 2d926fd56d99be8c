import { wait } from "../../base/async/abort.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import type { FileSource } from "./read-file.ts";

/** A search for the tree of blocks of a file, while the file arrives. */
export interface TreeSearch {
  /** Starts the search, unless it runs already. */
  start(): void;
  /**
   * Resolves to the tree, or `undefined` if no gateway sends its root soon; always to the same, since a tree that comes
   * later would prove the rest of a file whose start it did not prove.
   *
   * @throws `UNSUPPORTED` for a content id that is not one of a file
   */
  find(): Promise<FileSource | undefined>;
  /** Returns why there is no tree, if that is known. */
  failure(): unknown;
}

/** How long to wait for the root block once the file itself has arrived, or failed, in milliseconds. */
const PATIENCE_MS = 15_000;

/** Creates a search that runs at most once, and is waited for at most so long, from when it is first needed. */
export function createTreeSearch(search: () => Promise<FileSource>, signal: AbortSignal): TreeSearch {
  let searching: Promise<FileSource | undefined> | undefined;
  let found: Promise<FileSource | undefined> | undefined;
  let failure: unknown;

  function start(): Promise<FileSource | undefined> {
    searching ??= search().catch((error: unknown) => {
      if (isOtherKind(error)) throw error;
      failure = error;
      return undefined;
    });
    // It may fail before anyone waits for it.
    searching.catch(() => undefined);
    return searching;
  }

  return {
    start,
    find() {
      const giveUp = () => undefined;
      found ??= Promise.race([start(), wait(PATIENCE_MS, signal).then(giveUp, giveUp)]);
      return found;
    },
    failure: () => failure,
  };
}

/** Whether a verified block shows that the content id is not one of a file: a gateway that offers no blocks is no proof. */
function isOtherKind(error: unknown): boolean {
  return isKeeplightError(error, "UNSUPPORTED") && error.details["cid"] !== undefined;
}
