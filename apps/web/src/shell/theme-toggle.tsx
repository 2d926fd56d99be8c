import { useEffect, useSyncExternalStore } from "react";
import { useMessages } from "../messages/language.ts";
import { IconButton } from "../ui/button.tsx";

const system = matchMedia("(prefers-color-scheme: dark)");
const CHANGED = "themechange";

function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : system.matches;
}

function subscribe(listener: () => void): () => void {
  system.addEventListener("change", listener);
  window.addEventListener(CHANGED, listener);
  return () => {
    system.removeEventListener("change", listener);
    window.removeEventListener(CHANGED, listener);
  };
}

/** Switches between light and dark mode, and saves the choice. */
export function ThemeToggle() {
  const { shell } = useMessages();
  const dark = useSyncExternalStore(subscribe, isDark);
  // The bars of the browser and of an installed app.
  useEffect(() => {
    const content = dark ? "#0e1516" : "#f6f4ef";
    for (const meta of document.querySelectorAll("meta[name=theme-color]")) meta.setAttribute("content", content);
  }, [dark]);
  const toggle = () => {
    const theme = dark ? "light" : "dark";
    document.documentElement.dataset["theme"] = theme;
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // The browser keeps nothing for this site: the choice is for this visit.
    }
    window.dispatchEvent(new Event(CHANGED));
  };
  return <IconButton icon={dark ? "sun" : "moon"} label={dark ? shell.toLight : shell.toDark} onClick={toggle} />;
}
