import type { Drive, DriveEntry } from "@keeplight/drive";
import { useCallback, useMemo } from "react";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useToast } from "../ui/toasts.tsx";
import { listOutermost, type Row } from "./rows.ts";

/** Changes of the drive, each of which says what happened. */
export interface DriveActions {
  /** Moves rows to a folder by its path; empty for the top. Files that are in no folder yet are added to it. */
  move(rows: readonly Row[], folder: string): Promise<void>;
  trash(rows: readonly Row[]): Promise<void>;
}

/** Moves and deletes what is in the drive; each can be undone at once. */
export function useDriveActions(): DriveActions {
  const { drive: texts, files } = useMessages();
  const { drive: opened } = useAccountData().drive;
  const toast = useToast();

  /** Makes a change of each row, then says so, or why the others have not changed. */
  const change = useCallback(
    async (
      rows: readonly Row[],
      work: (row: Row) => Promise<() => Promise<unknown>>,
      done: (name: string, count: number) => string,
    ) => {
      const undos: (() => Promise<unknown>)[] = [];
      const undo = async () => {
        try {
          for (const each of undos.reverse()) await each();
          toast(texts.undone);
        } catch (error) {
          toast(explainError(error).title);
        }
      };
      const say = (text: string) => toast(text, undos.length > 0 ? { label: texts.undo, run: undo } : undefined);
      const name = toSafeName(rows[0]?.fileName ?? files.unnamed);
      try {
        for (const row of rows) undos.push(await work(row));
        say(done(name, rows.length));
      } catch (error) {
        const { title, advice } = explainError(error);
        // What has changed before can be undone.
        say(`${undos.length > 0 ? `${done(name, undos.length)}. ` : ""}${title}. ${advice}`);
      }
    },
    [toast, texts, files],
  );

  return useMemo(
    () => ({
      async move(rows, folder) {
        if (!opened) return;
        // Another tab may have put them in a folder.
        if (rows.some(({ entry }) => !entry)) await opened.listLoose([]).catch(() => undefined);
        const place = folder === "" ? files.title : folder.slice(folder.lastIndexOf("/") + 1);
        await change(
          rows,
          async ({ entry, cid, fileName }) => {
            if (!entry) {
              const placed = opened.listAll().find((each) => each.type === "file" && each.cid === cid);
              if (placed) return moveEntry(opened, placed, folder);
              const [adopted] = await opened.adopt([{ cid, name: fileName ?? cid, folder }]);
              return async () => adopted && opened.move(adopted, "");
            }
            return moveEntry(opened, entry, folder);
          },
          (name, count) => texts.moved(name, count, toSafeName(place)),
        );
      },
      async trash(rows) {
        if (!opened) return;
        await change(
          // What is in a folder that is moved to the trash stays in it.
          listOutermost(rows),
          async ({ entry }) => {
            if (!entry) return async () => undefined;
            const trashed = await opened.trash(entry);
            return () => opened.restore(trashed);
          },
          texts.trashed,
        );
      },
    }),
    [opened, change, texts, files],
  );
}

/** Moves an entry. Returns what moves it back. */
async function moveEntry(drive: Drive, entry: DriveEntry, folder: string): Promise<() => Promise<unknown>> {
  const { id, parent } = entry;
  await drive.move(entry, folder);
  const now = (wanted: string) => drive.listAll().find((each) => each.id === wanted);
  return async () => {
    const moved = now(id);
    if (moved) await drive.move(moved, now(parent) ?? "");
  };
}
