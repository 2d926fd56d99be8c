import { useState } from "react";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { useWork } from "../session/use-work.ts";
import { Button } from "../ui/button.tsx";
import { DiskFacts } from "./disk-facts.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";

/** What is not complete, what this site takes of the disk, and removing what the browser has of the account. */
export function BrowserPanel() {
  const { settings, uploads } = useMessages();
  const { journal } = useSession();
  const { counts } = useWork();
  const [isRemoving, setRemoving] = useState(false);
  const isOpen = Object.values(counts).some((count) => count > 0);
  return (
    <section className="card settings-card" aria-labelledby="browser-title">
      <h2 id="browser-title">{settings.browser}</h2>
      <p className="quiet">{journal ? settings.browserHint : settings.noJournal}</p>
      <dl className="settings-facts">
        <div>
          <dt>{settings.open}</dt>
          <dd>{isOpen ? uploads.work(counts) : settings.nothingOpen}</dd>
        </div>
        <DiskFacts />
      </dl>
      {journal && (
        <div className="settings-remove">
          <p className="hint">{settings.removeHint}</p>
          <Button kind="danger" icon="trash" onClick={() => setRemoving(true)}>
            {settings.remove}
          </Button>
        </div>
      )}
      {isRemoving && <RemoveDialog onClose={() => setRemoving(false)} />}
    </section>
  );
}
