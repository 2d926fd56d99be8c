let current: string | undefined;

/** The locale of numbers, dates and plurals; the browser's until a language is loaded. */
export function getLocale(): string | undefined {
  return current;
}

/** Sets the locale; `language.ts` calls this together with its texts. */
export function setLocale(locale: string): void {
  current = locale;
}
