/** The drive refuses shorter ones. */
const MIN_LENGTH = 8;
/** Nobody counts guesses at a link: a program makes thousands a second. */
const GOOD_LENGTH = 16;
const FEW_CHARACTERS = 6;

/** Rates the password of a link by its length; `none` for an empty one. */
export function ratePassword(password: string): "none" | "short" | "weak" | "good" {
  const characters = [...password.normalize("NFKC")];
  if (characters.length === 0) return "none";
  if (characters.length < MIN_LENGTH) return "short";
  return characters.length < GOOD_LENGTH || new Set(characters).size < FEW_CHARACTERS ? "weak" : "good";
}
