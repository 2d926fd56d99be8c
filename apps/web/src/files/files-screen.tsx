import type { ListedFile } from "keeplight";
import { useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { replaceRoute } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Screen } from "../ui/screen.tsx";
import { useMedia } from "../ui/use-media.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { DropZone } from "./drop-zone.tsx";
import { FileTable } from "./file-table.tsx";
import { type FilesView, selectFiles } from "./files-view.ts";
import { ListControls } from "./list-controls.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { useDeleteFiles } from "./use-delete-files.ts";
import { useNewFiles } from "./use-new-files.ts";

const none: ReadonlySet<string> = new Set();

/** The files of the account. Search, filter and order are in the URL. */
export function FilesScreen({ view }: { view: FilesView }) {
  const { files: texts } = useMessages();
  const { files: all, groups, sharing } = useAccountData();
  const { status, error, reload } = all;
  const { shown: files, members, partial } = groups;
  const added = useNewFiles(all.files, status === "ready");
  const hasTouch = useMedia("(hover: none)");
  const [selected, setSelected] = useState(none);
  const [deleting, setDeleting] = useState<readonly ListedFile[]>([]);
  const { busy, deleteFiles } = useDeleteFiles();
  const title = useRef<HTMLHeadingElement>(null);
  // What is typed is shown at once, the list a moment later.
  const deferred = useDeferredValue(view);
  const shown = useMemo(() => selectFiles(files, deferred), [files, deferred]);
  const chosen = useMemo(() => files.filter(({ id }) => selected.has(id)), [files, selected]);
  const show = (changed: FilesView) => replaceRoute({ screen: "files", view: changed });

  const select = useCallback((ids: readonly string[], isSelected: boolean) => {
    setSelected((known) => {
      const next = new Set(known);
      for (const id of ids) isSelected ? next.add(id) : next.delete(id);
      return next;
    });
  }, []);
  const ask = useCallback((file: ListedFile) => setDeleting([file]), []);
  const confirm = async (below: readonly ListedFile[]) => {
    const deleted = await deleteFiles(deleting, below);
    setDeleting([]);
    select(
      deleted.map(({ id }) => id),
      false,
    );
    // The button that opened the dialog is gone with its row.
    if (deleted.length > 0) title.current?.focus({ preventScroll: true });
  };

  return (
    <Screen title={texts.title} keepsScroll isWide>
      <DropZone />
      <section className="card file-list" aria-labelledby="file-list-title" aria-busy={status === "loading"}>
        <header className="file-list-head">
          <h2 id="file-list-title" ref={title} tabIndex={-1}>
            {files.length === 0
              ? texts.yours
              : (members.size + partial.size > 0 ? texts.itemCount : texts.count)(files.length)}
            {status === "loading" && files.length > 0 && <span className="quiet">{texts.soFar}</span>}
          </h2>
          <ListControls view={view} onChange={show} />
        </header>
        {chosen.length > 0 && (
          <SelectionBar files={chosen} onDelete={() => setDeleting(chosen)} onClear={() => setSelected(none)} />
        )}
        {status === "loading" && files.length === 0 && <Skeleton />}
        {status === "ready" && files.length === 0 && (
          <Empty icon="files" title={texts.emptyTitle}>
            {hasTouch ? texts.emptyHintTouch : texts.emptyHint}
          </Empty>
        )}
        {files.length > 0 && shown.length === 0 && (
          <Empty icon="files" title={texts.noMatchTitle}>
            {texts.noMatchHint}
          </Empty>
        )}
        {shown.length > 0 && (
          <FileTable
            files={shown}
            groups={groups}
            sharing={sharing}
            added={added}
            sort={view.sort}
            selected={selected}
            onSort={(sort) => show({ ...view, sort })}
            onSelect={select}
            onDelete={ask}
          />
        )}
        {status === "failed" && (
          <div className="file-list-failed">
            <ErrorNote error={error} retry={reload} />
          </div>
        )}
      </section>
      {deleting.length > 0 && (
        <DeleteDialog files={deleting} busy={busy} onConfirm={confirm} onCancel={() => busy || setDeleting([])} />
      )}
    </Screen>
  );
}

/** Placeholder for rows that are loading. */
function Skeleton() {
  return (
    <div className="skeleton" aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  );
}
