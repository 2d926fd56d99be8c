import type { MouseEvent } from "react";
import { useMessages } from "../messages/language.ts";
import { type FileTab, fileTabs, replaceRoute, toHref } from "../routes.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

const icons: Record<FileTab, IconName> = { preview: "file", people: "people", conditions: "shield", proof: "storage" };

/** The tabs of a file's page. They replace each other in the history: Back leaves the file. */
export function FileTabs({
  cid,
  tab,
  within,
  name: linkName,
  isPublic,
}: {
  cid: string;
  tab: FileTab;
  /** Where it was found in a folder; see `FileRoute`. */
  within: string | undefined;
  /** What its link calls it. */
  name: string | undefined;
  isPublic: boolean;
}) {
  const { file } = useMessages();
  const shown = fileTabs.filter((name) => !isPublic || name === "preview" || name === "proof");
  return (
    <nav className="tabs" aria-label={file.tabs}>
      {shown.map((name) => {
        const route = { screen: "file", cid, tab: name, within, name: linkName } as const;
        const show = (event: MouseEvent) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          replaceRoute(route);
        };
        return (
          <a key={name} href={toHref(route)} aria-current={name === tab ? "page" : undefined} onClick={show}>
            <Icon name={icons[name]} size={18} />
            {file.tabNames[name]}
          </a>
        );
      })}
    </nav>
  );
}
