import type { ListedFile } from "keeplight";
import { useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { FileDetails } from "../details/file-details.tsx";
import { isUnnamed } from "../drive/account-drive.ts";
import { DropContext } from "../drive/drag.ts";
import { DriveProblem } from "../drive/drive-problem.tsx";
import { FolderPath } from "../drive/folder-path.tsx";
import { FolderButtons, FolderProblem, useFolderTools } from "../drive/folder-tools.tsx";
import { listTrash } from "../drive/list-trash.ts";
import type { Row } from "../drive/rows.ts";
import { useDriveActions } from "../drive/use-drive-actions.ts";
import { useRows } from "../drive/use-rows.ts";
import { useMessages } from "../messages/language.ts";
import { getLastName, replaceRoute, toHref } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { Screen } from "../ui/screen.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useMedia } from "../ui/use-media.ts";
import { DropZone } from "./drop-zone.tsx";
import { EmptyList } from "./empty-list.tsx";
import { FileTable } from "./file-table.tsx";
import { type Asking, FilesDialogs } from "./files-dialogs.tsx";
import { type FilesView, selectFiles } from "./files-view.ts";
import { ListControls } from "./list-controls.tsx";
import { isShareable } from "./row-route.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { useDeleteFiles } from "./use-delete-files.ts";
import { useFolderKeys } from "./use-folder-keys.ts";
import { useNewFiles } from "./use-new-files.ts";
import { useRowFocus } from "./use-row-focus.ts";
import { useSelection } from "./use-selection.ts";

/** The files of the account in a folder. Folder, search, filter and order are in the URL. */
export function FilesScreen({ folder: path, view }: { folder: string; view: FilesView }) {
  const { files: texts, drive: driveTexts } = useMessages();
  const { files: all, drive, groups, loose, sharing } = useAccountData();
  const { members, partial } = groups;
  // What is typed is shown at once, the list a moment later.
  const deferred = useDeferredValue(view);
  const isSearch = deferred.search.trim() !== "";
  const { rows, folder, isMissing } = useRows(path, isSearch);
  const tools = useFolderTools(folder?.type === "folder" ? folder : undefined);
  const isKnown = loose !== undefined;
  const status = isKnown ? all.status : "loading";
  const added = useNewFiles(rows, all.status === "ready" && isKnown && !isSearch);
  const [asking, setAsking] = useState<Asking>();
  const { busy, deleteFiles } = useDeleteFiles();
  const { move, trash } = useDriveActions();
  const toast = useToast();
  const title = useRef<HTMLHeadingElement>(null);
  const shown = useMemo(() => selectFiles(rows, deferred), [rows, deferred]);
  const { search, show: filter } = deferred;
  const { ids: selected, rows: chosen, select, clear } = useSelection(shown, JSON.stringify([path, search, filter]));
  const focus = useRowFocus(shown, path);
  const hasDetails = useMedia("(min-width: 90rem)");
  const show = (changed: FilesView) => replaceRoute({ screen: "files", folder: path, view: changed });
  const trashed = useMemo(() => listTrash(drive.entries).length, [drive.entries]);
  const close = () => setAsking(undefined);

  /** Moves what is in the drive to the trash, and asks before the rest is deleted. */
  const remove = useCallback(
    async (removed: readonly Row[]) => {
      const placed = removed.filter(({ entry }) => entry);
      const rest = removed.filter(({ entry }) => !entry);
      if (rest.some((row) => isUnnamed(row, { status: drive.status }))) return toast(`${driveTexts.unavailable}.`);
      if (rest.length > 0) setAsking({ kind: "delete", rows: rest });
      if (placed.length === 0) return;
      await trash(placed);
      select(toIds(placed), false);
    },
    [trash, select, drive.status, toast, driveTexts],
  );
  const removeOne = useCallback((row: Row) => void remove([row]), [remove]);
  const confirm = async (rest: readonly Row[], below: readonly ListedFile[]) => {
    const deleted = await deleteFiles(rest, below);
    close();
    select(toIds(deleted), false);
    // The button that opened the dialog is gone with its row.
    if (deleted.length > 0) title.current?.focus({ preventScroll: true });
  };
  /** Folders that are shared as a whole are at the top. */
  const isMovable = useCallback(
    ({ entry, cid }: Row) => entry !== undefined || !(members.has(cid) || partial.has(cid)),
    [members, partial],
  );
  const drop = useCallback(
    (ids: readonly string[], folder: string) => {
      const dragged = new Set(ids);
      const moved = shown.filter((row) => dragged.has(row.id) && row.entry?.path !== folder && isMovable(row));
      if (moved.length === 0) return;
      void move(moved, folder);
      clear();
    },
    [shown, move, isMovable, clear],
  );
  const canMove = chosen.every(isMovable);
  const [only] = chosen.length === 1 ? chosen : [];
  const open = useFolderKeys({ path, folder, shown, chosen, focus, select, clear, remove, ask: setAsking });
  const isEmpty = status === "ready" && rows.length === 0;

  return (
    <DropContext.Provider value={drop}>
      <Screen
        title={path === "" ? texts.title : toSafeName(getLastName(path))}
        back={path !== "" && <FolderPath path={path} />}
        actions={
          drive.status !== "none" && (
            <>
              {path !== "" && !isMissing && <FolderButtons tools={tools} />}
              <Button icon="folder" disabled={!drive.drive} onClick={() => setAsking({ kind: "create" })}>
                {driveTexts.newFolder}
              </Button>
              <a className="button button-quiet" href={toHref({ screen: "trash" })}>
                {trashed === 0 ? driveTexts.trash : driveTexts.trashCount(trashed)}
              </a>
            </>
          )
        }
        keepsScroll
        isWide
      >
        <FolderProblem tools={tools} />
        {!isMissing && <DropZone folder={path} />}
        <div className="file-browser">
          <section className="card file-list" aria-labelledby="file-list-title" aria-busy={status === "loading"}>
            <header className="file-list-head">
              <h2 id="file-list-title" ref={title} tabIndex={-1}>
                {describeCount()}
                {all.status === "loading" && all.files.length > 0 && <span className="quiet">{texts.soFar}</span>}
              </h2>
              <ListControls view={view} onChange={show} />
            </header>
            <DriveProblem />
            {!hasDetails && chosen.length > 0 && (
              <SelectionBar
                files={chosen}
                onShare={
                  chosen.every((row) => isShareable(row, groups))
                    ? () => setAsking({ kind: "share", rows: chosen })
                    : undefined
                }
                onRename={only?.entry && (() => setAsking({ kind: "rename", row: only }))}
                onMove={drive.drive && canMove ? () => setAsking({ kind: "move", rows: chosen }) : undefined}
                onDelete={() => void remove(chosen)}
                onClear={clear}
              />
            )}
            {status === "loading" && rows.length === 0 && <Skeleton />}
            {(isEmpty || (isKnown && shown.length === 0 && rows.length > 0)) && (
              <EmptyList isMissing={isMissing} isSearch={rows.length > 0 || isSearch} isTop={path === ""} />
            )}
            {shown.length > 0 && (
              <FileTable
                files={shown}
                groups={groups}
                sharing={sharing}
                added={added}
                sort={view.sort}
                selected={selected}
                focus={focus}
                showsPlace={isSearch}
                onSort={(sort) => show({ ...view, sort })}
                onSelect={select}
                onDelete={removeOne}
                onOpen={open}
              />
            )}
            {all.status === "failed" && (
              <div className="file-list-failed">
                <ErrorNote error={all.error} retry={all.reload} />
              </div>
            )}
          </section>
          {hasDetails && !isMissing && (
            <FileDetails
              rows={chosen.length > 0 || !focus.row ? chosen : [focus.row]}
              selected={chosen.length}
              groups={groups}
              sharing={sharing}
              actions={{
                rename: (row) => setAsking({ kind: "rename", row }),
                canMove: (moved) => drive.drive !== undefined && moved.every(isMovable),
                move: (moved) => setAsking({ kind: "move", rows: moved }),
                share: (rows) => setAsking({ kind: "share", rows }),
                remove: (removed) => void remove(removed),
                clear,
                showKeys: () => setAsking({ kind: "keys" }),
              }}
            />
          )}
        </div>
        {asking && (
          <FilesDialogs
            asking={asking}
            folder={path}
            isSearch={isSearch}
            isDeleting={busy}
            onDelete={confirm}
            onMoved={() => {
              close();
              clear();
            }}
            onClose={close}
          />
        )}
      </Screen>
    </DropContext.Provider>
  );

  function describeCount(): string {
    if (isSearch) return driveTexts.matches(shown.length);
    if (rows.length === 0) return texts.yours;
    const isMixed = members.size + partial.size > 0 || rows.some(({ entry }) => entry?.type === "folder");
    return (isMixed ? texts.itemCount : texts.count)(rows.length);
  }
}

const toIds = (rows: readonly ListedFile[]) => rows.map(({ id }) => id);

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
