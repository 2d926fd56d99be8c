import { placeOf } from "./modules/find-calls.ts";
import { findSites } from "./modules/find-sites.ts";
import { readProgram } from "./program.ts";
import { isType, listOf } from "./syntax/node.ts";

/** Where a program configures the incumbent: that changes what the calls of every file do. */
export interface Redirect {
  /** `file:line`. */
  place: string;
  /** Whether the drop-in cannot be configured in the same way, so that nothing may be changed. */
  isFrozen: boolean;
}

/** Finds out whether a file configures the incumbent; throws a `SyntaxError` if it cannot be parsed. */
export function findRedirect(text: string, path: string): Redirect | undefined {
  if (!/\/dist\/(lighthouse\.)?config|keeplight\/compat\/\w+\/config/.test(text)) return undefined;
  const found = findSites(readProgram(text, path)).filter(({ module }) => module.role === "config");
  const redirects = found.map(({ module, statement, specifier }) => {
    const hasDefault = listOf(statement, "specifiers").some((each) => isType(each, "ImportDefaultSpecifier"));
    const isFrozen = module.dropIn === undefined || (module.package === "lighthouse" && hasDefault);
    return { place: `${path}:${placeOf(specifier).line}`, isFrozen };
  });
  return redirects.find(({ isFrozen }) => isFrozen) ?? redirects[0];
}
