import type { Explanation } from "../messages/en/errors.ts";
import { explainError, isRefusal } from "../messages/explain-error.ts";
import { getMessages } from "../messages/language.ts";

/** Explains an error on the page of a link: its account is refused once the link was ended. */
export function explainLinkError(error: unknown): Explanation {
  return isRefusal(error) ? getMessages().shared.ended : explainError(error);
}
