import type { DriveLink } from "@keeplight/drive";
import { useLinks } from "@keeplight/react/drive";
import { useCallback, useMemo, useRef } from "react";
import { getLinkAddress } from "./link-address.ts";

/** The account's links to one file. */
export interface FileLinks {
  /** Whether it is known which there are. */
  isKnown: boolean;
  links: readonly DriveLink[];
  /** Leaves out the addresses of links, those that were ended since included: the key nodes' list may be older. */
  withoutLinks(addresses: readonly string[]): string[];
}

/** The links that the account has made to a file; none until the drive is open. */
export function useFileLinks(cid: string): FileLinks {
  const { state } = useLinks();
  const seen = useRef(new Set<string>());
  const links = useMemo(() => {
    return state.status === "ready" ? state.value.filter((link) => link.cid === cid) : [];
  }, [state, cid]);
  for (const link of links) seen.current.add(getLinkAddress(link).toLowerCase());
  const withoutLinks = useCallback(
    (addresses: readonly string[]) => addresses.filter((address) => !seen.current.has(address.toLowerCase())),
    [],
  );
  return { isKnown: state.status !== "loading", links, withoutLinks };
}
