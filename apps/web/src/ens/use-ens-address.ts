import { useEffect, useState } from "react";
import { useSession } from "../session/session.ts";
import { isEnsName } from "./ens-name.ts";
import { type EnsResult, lookUpEns } from "./look-up-ens.ts";

/** What is known of a text that may be an ENS name. */
export type EnsLookup = { status: "none" } | { status: "looking" } | EnsResult;

/** How long nothing more has to be typed before a name is looked up, in milliseconds. */
const PAUSE_MS = 400;

/**
 * Looks up a text once it is an ENS name. A result is of the whole text as it is now, never of what it was before; a name that is
 * typed again is looked up again.
 */
export function useEnsAddress(text: string): EnsLookup {
  const { ens } = useSession().network;
  const [result, setResult] = useState<{ of: string; lookup: EnsResult }>();
  const isName = isEnsName(text);
  useEffect(() => {
    if (!isName) return;
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(async () => {
      const lookup = await lookUpEns(text, ens, signal);
      if (!signal.aborted) setResult({ of: text, lookup });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
      setResult(undefined);
    };
  }, [text, isName, ens]);
  if (!isName) return { status: "none" };
  return result?.of === text ? result.lookup : { status: "looking" };
}
