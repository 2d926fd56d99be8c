import type { Usage } from "keeplight";
import { useKit } from "./kit-provider.ts";
import { type Loaded, useLoad } from "./use-load.ts";

/**
 * How much the account of the provider's `apiKey` may store and has stored. Loads on mount and by `reload`.
 *
 * @example
 * const { state } = useBalance();
 * if (state.status === "ready") return <meter max={state.value.dataLimit} value={state.value.dataUsed} />;
 */
export function useBalance(): Loaded<Usage> {
  const kit = useKit();
  const { state, reload } = useLoad<Usage>((signal) => kit.getBalance({ signal }), kit);
  return { state, reload };
}
