import type { DriveLink } from "@keeplight/drive";
import { useLinks } from "@keeplight/react/drive";
import { useMemo, useRef } from "react";
import { getLinkAddress } from "./link-address.ts";

/** The account's links to one file. */
export interface FileLinks {
  /** Whether it is known which there are. */
  isKnown: boolean;
  /** Those that were created first are first. */
  links: readonly DriveLink[];
  /** Whether an address is that of a link, even of one that was ended since: the key nodes' list may be older. */
  isLink(address: string): boolean;
}

/** The links that the account has made to a file; none until the drive is open. */
export function useFileLinks(cid: string): FileLinks {
  const { state } = useLinks();
  const seen = useRef(new Set<string>());
  return useMemo(() => {
    const links = state.status === "ready" ? state.value.filter((link) => link.cid === cid).reverse() : [];
    for (const link of links) seen.current.add(getLinkAddress(link));
    return {
      isKnown: state.status !== "loading",
      links,
      isLink: (address) => seen.current.has(address.toLowerCase()),
    };
  }, [state, cid]);
}
