import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

/** An empty state: what will be here, and how to add it. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={28} />
      </span>
      <p className="empty-title">{title}</p>
      <p>{children}</p>
    </div>
  );
}
