import { chooseLanguage, type Language, languages, useLanguage } from "../messages/language.ts";

/** Switches to the other language. The button names it in that language, for people who cannot read this one. */
export function LanguageToggle() {
  const other: Language = useLanguage() === "en" ? "de" : "en";
  return (
    <button
      type="button"
      className="icon-button language-toggle"
      lang={other}
      aria-label={languages[other]}
      title={languages[other]}
      onClick={() => void chooseLanguage(other)}
    >
      {other.toUpperCase()}
    </button>
  );
}
