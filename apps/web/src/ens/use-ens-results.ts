import { useEffect, useState } from "react";
import { useSession } from "../session/session.ts";
import { type EnsResult, lookUpEns } from "./look-up-ens.ts";

const nothing: ReadonlyMap<string, EnsResult> = new Map();

/** Looks up ENS names, each once while the component is mounted, one after another. Returns the results so far, by name. */
export function useEnsResults(names: readonly string[]): ReadonlyMap<string, EnsResult> {
  const { ens } = useSession().network;
  const [results, setResults] = useState(nothing);
  const next = names.find((name) => !results.has(name));
  useEffect(() => {
    if (next === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    void lookUpEns(next, ens, signal).then((result) => {
      if (!signal.aborted) setResults((known) => new Map(known).set(next, result));
    });
    return () => controller.abort();
  }, [next, ens]);
  return results;
}
