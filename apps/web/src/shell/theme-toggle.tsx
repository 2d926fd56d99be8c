import { useMessages } from "../messages/language.ts";
import { IconButton } from "../ui/button.tsx";
import { chooseTheme, useIsDark } from "./theme.ts";

/** Switches between light and dark mode, and saves the choice. */
export function ThemeToggle() {
  const { shell } = useMessages();
  const isDark = useIsDark();
  return (
    <IconButton
      icon={isDark ? "sun" : "moon"}
      label={isDark ? shell.toLight : shell.toDark}
      onClick={() => chooseTheme(isDark ? "light" : "dark")}
    />
  );
}
