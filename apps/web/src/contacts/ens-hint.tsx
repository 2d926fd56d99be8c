import type { EnsLookup } from "../ens/use-ens-address.ts";
import { useMessages } from "../messages/language.ts";

/** What to do with what is typed in place of an address: a part of a name, or an ENS name that is looked up. */
export function EnsHint({ lookup }: { lookup: EnsLookup }) {
  const { choose, ens } = useMessages().contacts;
  if (lookup.status === "none") return choose;
  if (lookup.status === "looking") return ens.looking;
  return lookup.status === "failed" ? ens.problems[lookup.problem] : ens.choose;
}
