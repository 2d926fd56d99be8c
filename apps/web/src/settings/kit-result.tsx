import type { KitFailure } from "@keeplight/recovery";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { FileName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";

/** How many files are named. */
const MAX_NAMES = 20;

/** What a downloaded kit has, how to open it, and which files are missing in it. */
export function KitResult({ files, failures }: { files: number; failures: readonly KitFailure[] }) {
  const { settings } = useMessages();
  return (
    <div className="note">
      <Icon name={failures.length === 0 ? "check" : "warning"} />
      <div>
        <p className="note-title">{settings.kitDone(files)}</p>
        <p>{settings.kitOpen}</p>
        {failures.length > 0 && (
          <>
            <p className="note-title">{settings.kitMissing(failures.length)}</p>
            <ul className="settings-list">
              {failures.slice(0, MAX_NAMES).map(({ cid, name }) => (
                <li key={cid}>{name === null ? shorten(cid) : <FileName>{name}</FileName>}</li>
              ))}
              {failures.length > MAX_NAMES && <li>{settings.kitMore(failures.length - MAX_NAMES)}</li>}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}
