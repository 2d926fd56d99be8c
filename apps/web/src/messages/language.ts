import { useSyncExternalStore } from "react";
import { en, type Messages } from "./en.ts";
import { setLocale } from "./locale.ts";

/** The languages of the app, by their own names. */
export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

interface State {
  language: Language;
  messages: Messages;
}

const KEPT = "language";
const listeners = new Set<() => void>();
let state: State = { language: "en", messages: en };
let latest: Language = "en";

/** The texts in the reader's language. The component renders again when another one is chosen. */
export function useMessages(): Messages {
  return useSyncExternalStore(subscribe, getMessages);
}

/** The texts outside of components. */
export function getMessages(): Messages {
  return state.messages;
}

/** The language that is shown. */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, () => state.language);
}

/** Shows the language of the last visit, or else the browser's; English, if the texts of that cannot be loaded. */
export async function startLanguage(): Promise<void> {
  const language = readKept() ?? navigator.languages.map(readLanguage).find(Boolean) ?? "en";
  await showLanguage(language).catch(() => showLanguage("en"));
}

/** Shows a language, and keeps the choice. */
export async function chooseLanguage(language: Language): Promise<void> {
  try {
    localStorage.setItem(KEPT, language);
  } catch {
    // Kept for this visit only.
  }
  await showLanguage(language);
}

async function showLanguage(language: Language): Promise<void> {
  latest = language;
  const messages = language === "de" ? (await import("./de.ts")).de : en;
  // Another language was chosen while this one was loaded.
  if (latest !== language) return;
  // Dates and numbers as in the reader's region, if it has the language.
  setLocale(navigator.languages.find((locale) => readLanguage(locale) === language) ?? language);
  document.documentElement.lang = language;
  state = { language, messages };
  for (const listener of listeners) listener();
}

function readKept(): Language | undefined {
  try {
    return readLanguage(localStorage.getItem(KEPT) ?? "");
  } catch {
    // The browser keeps nothing for this site.
    return undefined;
  }
}

/** Returns the app's language for a locale such as `de-AT`. */
function readLanguage(locale: string): Language | undefined {
  const [language = ""] = locale.toLowerCase().split("-");
  return language in languages ? (language as Language) : undefined;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
