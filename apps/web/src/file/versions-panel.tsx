import type { DriveFile, DriveVersion } from "@keeplight/drive";
import type { ListedFile } from "keeplight";
import { formatBytes, formatTime } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { replaceRoute } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { DownloadButton } from "./download-button.tsx";
import { toEntryFacts } from "./file-facts.ts";
import { useOpenedFile } from "./use-opened-file.ts";
import { useSaveFile } from "./use-save-file.ts";

/** The versions of a file of the drive, the current one first; nothing for a file that has only one. */
export function VersionsPanel({ entry }: { entry: DriveFile }) {
  const { drive: texts } = useMessages();
  const { drive, files } = useAccountData();
  const toast = useToast();
  const restoring = useAction();
  const { drive: opened } = drive;
  const versions = opened?.versions(entry) ?? [];
  if (versions.length < 2) return null;
  const restore = ({ cid, addedAt }: DriveVersion) =>
    restoring.run(async () => {
      await opened?.restore(entry, { version: cid });
      toast(texts.versionRestored(formatTime(addedAt)));
      // The page is that of the current version.
      replaceRoute({ screen: "file", cid, tab: "preview" });
    });
  return (
    <section className="card shared-list" aria-labelledby="versions-title">
      <h2 id="versions-title">{texts.versions}</h2>
      <p className="quiet">{texts.versionsHint}</p>
      {restoring.status === "failed" && <ErrorNote error={restoring.error} isResult />}
      <ul>
        {versions.map((version, at) => (
          <VersionRow
            key={version.cid}
            entry={entry}
            version={version}
            stored={files.files.find(({ cid }) => cid === version.cid)}
            isBusy={restoring.status === "busy"}
            restore={at === 0 ? undefined : () => void restore(version)}
          />
        ))}
      </ul>
    </section>
  );
}

function VersionRow({
  entry,
  version,
  stored,
  isBusy,
  restore,
}: {
  entry: DriveFile;
  version: DriveVersion;
  /** Its row in the account's list, if it has one. */
  stored: ListedFile | undefined;
  isBusy: boolean;
  /** Missing for the current version. */
  restore: (() => void) | undefined;
}) {
  const { drive: texts } = useMessages();
  const { cid, size, addedAt, commitment, chunkProfile } = version;
  const info = toEntryFacts({ ...entry, size }, stored?.encryption === false);
  const known = { commitment, chunkProfile };
  const opened = useOpenedFile(cid, info, known);
  const saving = useSaveFile(cid, info, opened, known);
  const time = formatTime(addedAt);
  const { state } = opened;
  const error = saving.state.status === "failed" ? saving.state.error : state.status === "failed" ? state.error : null;
  return (
    <li className="shared-row">
      <span className="file-icon">
        <Icon name="file" />
      </span>
      <div className="shared-text">
        <p>{time}</p>
        <p className="quiet numbers">
          {restore ? formatBytes(size) : `${formatBytes(size)} · ${texts.currentVersion}`}
        </p>
        {error !== null && <ErrorNote error={error} retry={saving.save} />}
      </div>
      {restore && (
        <>
          <DownloadButton info={info} opened={opened} saving={saving} label={texts.downloadVersion(time)} />
          <Button disabled={isBusy} aria-label={texts.restoreVersion(time)} onClick={restore}>
            {texts.restore}
          </Button>
        </>
      )}
    </li>
  );
}
