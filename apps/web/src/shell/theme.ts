import { useSyncExternalStore } from "react";

/** `system` follows the browser. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const STORAGE_KEY = "theme";
const CHANGED = "themechange";
const system = matchMedia("(prefers-color-scheme: dark)");

/** The chosen theme. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, getTheme);
}

/** Whether the page is dark, by choice or by the browser. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

/** Shows a theme, and saves the choice. */
export function chooseTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset["theme"];
  else dataset["theme"] = theme;
  try {
    if (theme === "system") localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // The browser keeps nothing for this site: the choice is for this visit.
  }
  window.dispatchEvent(new Event(CHANGED));
}

/** Colours the bars of the browser and of an installed app. */
export function colourBars(isDark: boolean): void {
  const content = isDark ? "#0e1516" : "#f6f4ef";
  for (const meta of document.querySelectorAll("meta[name=theme-color]")) meta.setAttribute("content", content);
}

function getTheme(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  return themes.find((each) => each === chosen) ?? "system";
}

function isDark(): boolean {
  const theme = getTheme();
  return theme === "system" ? system.matches : theme === "dark";
}

function subscribe(listener: () => void): () => void {
  system.addEventListener("change", listener);
  window.addEventListener(CHANGED, listener);
  return () => {
    system.removeEventListener("change", listener);
    window.removeEventListener(CHANGED, listener);
  };
}
