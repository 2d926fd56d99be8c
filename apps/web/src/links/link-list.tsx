import type { DriveLink } from "@keeplight/drive";
import { useState } from "react";
import { EndLinkDialog } from "./end-link-dialog.tsx";
import { LinkRow } from "./link-row.tsx";

/** Links that the account has made, each of which can be copied and ended. */
export function LinkList({
  links,
  hasNames = false,
  onEnd,
}: {
  links: readonly DriveLink[];
  /** Whether they are links to several files. */
  hasNames?: boolean;
  onEnd?: () => void;
}) {
  const [ending, setEnding] = useState<DriveLink>();
  return (
    <>
      <ul className="link-list">
        {links.map((link) => (
          <LinkRow key={link.id} link={link} hasName={hasNames} end={() => setEnding(link)} />
        ))}
      </ul>
      {ending && <EndLinkDialog link={ending} onEnd={onEnd} onClose={() => setEnding(undefined)} />}
    </>
  );
}
