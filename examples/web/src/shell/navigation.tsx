import { hrefOf, type Route } from "../routes.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

const items: readonly { screen: "files" | "open" | "names" | "storage"; words: string; icon: IconName }[] = [
  { screen: "files", words: "Files", icon: "files" },
  { screen: "open", words: "Open", icon: "download" },
  { screen: "names", words: "Names", icon: "names" },
  { screen: "storage", words: "Storage", icon: "storage" },
];

export function Navigation({ route }: { route: Route }) {
  const current = route.screen === "file" ? "files" : route.screen;
  return (
    <nav aria-label="Screens">
      <ul>
        {items.map(({ screen, words, icon }) => (
          <li key={screen}>
            <a href={hrefOf({ screen })} aria-current={screen === current ? "page" : undefined}>
              <Icon name={icon} size={22} />
              {words}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
