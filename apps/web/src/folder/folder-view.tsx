import type { ReactNode } from "react";
import { useMessages } from "../messages/language.ts";
import { joinPath, toHref } from "../routes.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { Screen } from "../ui/screen.tsx";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import type { ShownEntry } from "./folder-row.tsx";
import { FolderTable } from "./folder-table.tsx";
import type { SavingFolder } from "./use-save-folder.ts";

/** What is listed, and how far that is. */
interface ShownListing {
  status: "loading" | "ready" | "failed";
  entries: readonly ShownEntry[];
  error?: unknown;
  /** What else to offer for the error. */
  help?: ReactNode;
  reload: () => void;
}

/** A folder of either kind. */
export function FolderView({
  cid,
  root,
  path,
  listing: { status, entries, error, help, reload },
  isFile,
  isEncrypted = false,
  saving,
  actions,
}: {
  cid: string;
  /** Name of the folder that `path` is below. */
  root: string;
  path: string;
  listing: ShownListing;
  /** Whether there is a file instead. */
  isFile: boolean;
  isEncrypted?: boolean;
  saving: SavingFolder;
  actions: ReactNode;
}) {
  const { folder: texts, files } = useMessages();
  // At a place of its own, the page of a file does not take it for a folder.
  const fileRoute = {
    screen: "file",
    cid,
    tab: "preview",
    ...(isEncrypted ? { within: joinPath(cid, root) } : {}),
  } as const;
  return (
    <Screen
      title={toSafeName(path.split("/").at(-1) || root)}
      back={<Breadcrumbs cid={cid} root={root} path={path} />}
      lead={
        <p className="file-id">
          <span className="mono">{cid}</span>
          <CopyButton text={cid} what={texts.cid} />
        </p>
      }
      actions={!isFile && actions}
      keepsScroll={status !== "loading"}
      isWide
    >
      {saving.state.status === "failed" && <ErrorNote error={saving.state.error} retry={saving.save} />}
      <section className="card folder-list" aria-labelledby="folder-title" aria-busy={status === "loading"}>
        <header>
          <h2 id="folder-title">{describeCount()}</h2>
          <span className={isEncrypted ? "badge badge-private" : "badge"}>
            <Icon name={isEncrypted ? "lock" : "globe"} size={14} />
            {isEncrypted ? files.encrypted : files.isPublic}
          </span>
        </header>
        {isFile && (
          <Empty icon="file" title={texts.noFolderTitle}>
            {texts.noFolderHint} <a href={toHref(fileRoute)}>{texts.showFile}</a>
          </Empty>
        )}
        {status === "failed" && !isFile && (
          <ErrorNote error={error} retry={reload}>
            {help}
          </ErrorNote>
        )}
        {status === "ready" && entries.length === 0 && (
          <Empty icon="folder" title={texts.emptyTitle}>
            {texts.emptyHint}
          </Empty>
        )}
        {entries.length > 0 && <FolderTable entries={entries} folder={cid} path={path} />}
      </section>
    </Screen>
  );

  function describeCount(): string {
    if (status === "loading") return entries.length > 0 ? texts.soFar(entries.length) : texts.loading;
    return status === "failed" && entries.length === 0 ? texts.isFolder : texts.count(entries.length);
  }
}
