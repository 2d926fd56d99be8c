import type { FileInfo } from "keeplight";
import { useKit } from "./kit-provider.ts";
import { type Loaded, useLoad } from "./use-load.ts";

/**
 * What the network knows of a stored file: its name, size and type, and whether it is encrypted. Nothing authenticates
 * that. Loads on mount, when `cid` changes, and by `reload`.
 *
 * @example
 * const { state } = useFile(cid);
 * return <h1>{state.value?.fileName ?? cid}</h1>;
 */
export function useFile(cid: string): Loaded<FileInfo> {
  const kit = useKit();
  const { state, reload } = useLoad<FileInfo>((signal) => kit.getFileInfo(cid, { signal }), kit, cid);
  return { state, reload };
}
