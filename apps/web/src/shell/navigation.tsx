import { useMessages } from "../messages/language.ts";
import { type Route, toHref } from "../routes.ts";
import { useIsOthers } from "../session/use-is-others.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

const items: readonly { screen: "files" | "shared" | "names" | "storage" | "settings"; icon: IconName }[] = [
  { screen: "files", icon: "files" },
  { screen: "shared", icon: "people" },
  { screen: "names", icon: "names" },
  { screen: "storage", icon: "storage" },
  { screen: "settings", icon: "settings" },
];

/** The screens. What others have shared belongs to theirs; `isLink` is whether a link with a key is open. */
export function Navigation({ route, isLink }: { route: Route; isLink: boolean }) {
  const { shell } = useMessages();
  const isOthers = useIsOthers(getRoot(route));
  const isStored = route.screen === "file" || route.screen === "folder";
  const isOwn = isStored || route.screen === "trash";
  const isOfPeople = isLink || (isStored && isOthers) || route.screen === "contacts";
  const current = isOfPeople ? "shared" : isOwn ? "files" : route.screen;
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

/** Returns the content id of the file or folder that a route shows, or of the folder that contains it. */
function getRoot(route: Route): string {
  if (route.screen === "file") return route.within?.split("/")[0] ?? route.cid;
  return route.screen === "folder" ? route.cid : "";
}
