import { useEffect } from "react";
import { useSession } from "../session/session.ts";
import { getChainRpcs } from "./chain-rpc.ts";
import { type ConditionDraft, getToken, hasContract } from "./condition-draft.ts";
import { readToken } from "./read-token.ts";
import { toWholeUnits } from "./units.ts";

/** Reads the unit of an ERC20 condition's token, once its contract is filled in. */
export function useToken(
  draft: ConditionDraft,
  change: (update: (known: ConditionDraft) => ConditionDraft) => void,
): void {
  const { network } = useSession();
  const isMissing = draft.kind === "ERC20" && hasContract(draft) && getToken(draft) === undefined;
  const { chain } = draft;
  const contract = draft.contract.trim();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` is another function in each rendering.
  useEffect(() => {
    if (!isMissing) return;
    const controller = new AbortController();
    readToken({ chain, contract }, getChainRpcs(network)[chain], controller.signal).then(
      (token) =>
        change((known) => {
          const next = { ...known, token };
          if (!known.isBaseValue || getToken(next) === undefined) return next;
          return { ...next, isBaseValue: false, value: toWholeUnits(known.value, token.decimals ?? 0) };
        }),
      () => undefined,
    );
    return () => controller.abort();
  }, [isMissing, chain, contract, network]);
}
