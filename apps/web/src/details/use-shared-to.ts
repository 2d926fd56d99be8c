import { useKit } from "@keeplight/react";
import { useCallback } from "react";
import { useRecordSharing } from "../files/use-sharing.ts";
import { useFileLinks } from "../links/use-file-links.ts";
import { useQuery } from "../ui/use-query.ts";

/** How long a row stays the same before a key node is queried, in milliseconds: a held arrow key passes many. */
const REST_MS = 300;

/** Who an own file is shared with. */
interface SharedTo {
  /** Addresses without those of links; `undefined` until they are known. */
  sharedTo: readonly string[] | undefined;
  /** How many links open the file. */
  links: number;
  /** Whether no key node has listed them. */
  isUnsure: boolean;
}

/**
 * Asks a key node who an own file is shared with, which takes no signature. Until then, what this browser knows is returned.
 *
 * @param cid - empty for what has no key, so that nobody is asked
 */
export function useSharedTo(cid: string, known: readonly string[] | undefined): SharedTo {
  const kit = useKit();
  const { isLink, links, isKnown } = useFileLinks(cid);
  const recorded = known?.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what this browser has recorded since is newer.
  const load = useCallback(
    async (signal: AbortSignal) => {
      if (cid === "") return [];
      await rest(signal);
      return (await kit.kavachGetAccessConditions(cid, { signal })).sharedTo;
    },
    [kit, cid, recorded],
  );
  const { value, status } = useQuery(load);
  const people = value?.filter((address) => !isLink(address));
  useRecordSharing(cid, cid !== "" && isKnown ? people : undefined);
  const sharedTo = cid === "" ? (known ?? []) : (people ?? known);
  return { sharedTo, links: links.length, isUnsure: status === "failed" };
}

async function rest(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, REST_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
  signal.throwIfAborted();
}
