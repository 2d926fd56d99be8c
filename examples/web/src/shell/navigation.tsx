import { useMessages } from "../messages/language.ts";
import { type Route, toHref } from "../routes.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

const items: readonly { screen: "files" | "shared" | "names" | "storage"; icon: IconName }[] = [
  { screen: "files", icon: "files" },
  { screen: "shared", icon: "people" },
  { screen: "names", icon: "names" },
  { screen: "storage", icon: "storage" },
];

export function Navigation({ route }: { route: Route }) {
  const { shell } = useMessages();
  const current = route.screen === "file" || route.screen === "folder" ? "files" : route.screen;
  return (
    <nav aria-label={shell.screens}>
      <ul>
        {items.map(({ screen, icon }) => (
          <li key={screen}>
            <a href={toHref({ screen })} aria-current={screen === current ? "page" : undefined}>
              <Icon name={icon} size={22} />
              {shell[screen]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
