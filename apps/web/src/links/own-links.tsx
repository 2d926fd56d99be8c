import type { DriveLink } from "@keeplight/drive";
import { useDrive, useLinks } from "@keeplight/react/drive";
import { useState } from "react";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { EndLink } from "./end-link.tsx";
import { LinkRow } from "./link-row.tsx";

/** All links of the account. */
export function OwnLinks() {
  const { links } = useMessages();
  const { state } = useLinks();
  const { reload } = useDrive();
  const { journal } = useSession();
  const [asked, setAsked] = useState<DriveLink>();
  // Without a journal there is no drive, and each file says so.
  if (!journal || state.status === "loading") return null;
  return (
    <section className="card shared-list" aria-labelledby="links-title">
      <h2 id="links-title">{links.ownTitle}</h2>
      {state.status === "failed" && <ErrorNote error={state.error} retry={reload} />}
      {state.status === "ready" && state.value.length === 0 && <p className="quiet">{links.ownEmpty}</p>}
      {state.status === "ready" && state.value.length > 0 && (
        <ul>
          {state.value.map((link) => (
            <LinkRow key={link.id} link={link} hasName end={() => setAsked(link)} />
          ))}
        </ul>
      )}
      <EndLink link={asked} onClose={() => setAsked(undefined)} />
    </section>
  );
}
