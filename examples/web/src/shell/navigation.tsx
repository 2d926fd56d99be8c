import { type Route, toHref } from "../routes.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

const items: readonly { screen: "files" | "open" | "names" | "storage"; label: string; icon: IconName }[] = [
  { screen: "files", label: "Files", icon: "files" },
  { screen: "open", label: "Open", icon: "download" },
  { screen: "names", label: "Names", icon: "names" },
  { screen: "storage", label: "Storage", icon: "storage" },
];

export function Navigation({ route }: { route: Route }) {
  const current = route.screen === "file" ? "files" : route.screen;
  return (
    <nav aria-label="Screens">
      <ul>
        {items.map(({ screen, label, icon }) => (
          <li key={screen}>
            <a href={toHref({ screen })} aria-current={screen === current ? "page" : undefined}>
              <Icon name={icon} size={22} />
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
