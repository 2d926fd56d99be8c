import type { ReactNode } from "react";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { Screen } from "../ui/screen.tsx";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import type { ShownEntry } from "./folder-row.tsx";
import { FolderTable } from "./folder-table.tsx";

/** What is listed, and how far that is. */
interface ShownListing {
  status: "loading" | "ready" | "failed";
  entries: readonly ShownEntry[];
  error?: unknown;
  reload: () => void;
}

/** A folder of either kind. */
export function FolderView({
  cid,
  root,
  path,
  listing: { status, entries, error, reload },
  isFile,
  actions,
  children,
}: {
  cid: string;
  /** Name of the folder that `path` is below. */
  root: string;
  path: string;
  listing: ShownListing;
  /** Whether there is a file instead. */
  isFile: boolean;
  actions: ReactNode;
  /** Above the list. */
  children?: ReactNode;
}) {
  const { folder: texts, ui } = useMessages();
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
    >
      {children}
      <section className="card folder-list" aria-labelledby="folder-title" aria-busy={status === "loading"}>
        <h2 id="folder-title">{describeCount()}</h2>
        {isFile && (
          <Empty icon="file" title={texts.noFolderTitle}>
            {texts.noFolderHint} <a href={toHref({ screen: "file", cid, tab: "preview" })}>{texts.showFile}</a>
          </Empty>
        )}
        {status === "failed" && !isFile && (
          <ErrorNote error={error}>
            <Button icon="retry" onClick={reload}>
              {ui.tryAgain}
            </Button>
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
