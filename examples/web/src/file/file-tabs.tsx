import type { MouseEvent } from "react";
import { type FileTab, fileTabs, replaceRoute, toHref } from "../routes.ts";
import { Icon, type IconName } from "../ui/icon.tsx";

const tabs: Record<FileTab, { label: string; icon: IconName }> = {
  preview: { label: "Preview", icon: "file" },
  people: { label: "People", icon: "people" },
  conditions: { label: "Conditions", icon: "shield" },
  proof: { label: "Proof", icon: "storage" },
};

/** The tabs of a file's page. They replace each other in the history: Back leaves the file. */
export function FileTabs({ cid, tab, isPublic }: { cid: string; tab: FileTab; isPublic: boolean }) {
  const shown = fileTabs.filter((name) => !isPublic || name === "preview" || name === "proof");
  return (
    <nav className="tabs" aria-label="About this file">
      {shown.map((name) => {
        const route = { screen: "file", cid, tab: name } as const;
        const show = (event: MouseEvent) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          replaceRoute(route);
        };
        return (
          <a key={name} href={toHref(route)} aria-current={name === tab ? "page" : undefined} onClick={show}>
            <Icon name={tabs[name].icon} size={18} />
            {tabs[name].label}
          </a>
        );
      })}
    </nav>
  );
}
