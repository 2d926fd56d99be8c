import { useEffect, useState } from "react";
import { useSession } from "../session/session.ts";
import { getChainRpcs } from "./chain-rpc.ts";
import { type ConditionDraft, getToken, hasContract } from "./condition-draft.ts";
import { readToken } from "./read-token.ts";
import { toWholeUnits } from "./units.ts";

/** Until an unreachable node is called again, in milliseconds. */
const RETRY_MS = 5_000;

/** Reads the unit of an ERC20 condition's token, once its contract is filled in; tries until it is known. */
export function useToken(
  draft: ConditionDraft,
  change: (update: (known: ConditionDraft) => ConditionDraft) => void,
): void {
  const { network } = useSession();
  const isMissing = draft.kind === "ERC20" && hasContract(draft) && getToken(draft) === undefined;
  const { chain } = draft;
  const [attempt, setAttempt] = useState(0);
  const contract = draft.contract.trim();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` is another function in each rendering.
  useEffect(() => {
    if (!isMissing) return;
    const controller = new AbortController();
    const { signal } = controller;
    readToken({ chain, contract }, getChainRpcs(network)[chain], signal).then(
      (token) =>
        change((known) => {
          const next = { ...known, token };
          if (!known.isBaseValue || getToken(next) === undefined) return next;
          return { ...next, isBaseValue: false, value: toWholeUnits(known.value, token.decimals ?? 0) };
        }),
      () => {
        if (signal.aborted) return;
        const retry = () => setAttempt(attempt + 1);
        const timer = setTimeout(retry, RETRY_MS);
        window.addEventListener("online", retry, { once: true, signal });
        signal.addEventListener("abort", () => clearTimeout(timer));
      },
    );
    return () => controller.abort();
  }, [isMissing, chain, contract, network, attempt]);
}
