import { useCallback, useMemo } from "react";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useToast } from "../ui/toasts.tsx";
import type { Row } from "./rows.ts";

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
      try {
        for (const row of rows) undos.push(await work(row));
      } catch (error) {
        const { title, advice } = explainError(error);
        return toast(`${title}. ${advice}`);
      }
      const undo = async () => {
        try {
          for (const each of undos.reverse()) await each();
          toast(texts.undone);
        } catch (error) {
          toast(explainError(error).title);
        }
      };
      toast(done(toSafeName(rows[0]?.fileName ?? files.unnamed), rows.length), { label: texts.undo, run: undo });
    },
    [toast, texts, files],
  );

  return useMemo(
    () => ({
      async move(rows, folder) {
        if (!opened) return;
        const place = folder === "" ? files.title : folder.slice(folder.lastIndexOf("/") + 1);
        await change(
          rows,
          async ({ entry, cid, fileName }) => {
            if (!entry) {
              const [adopted] = await opened.adopt([{ cid, name: fileName ?? cid, folder }]);
              return async () => adopted && opened.move(adopted, "");
            }
            const { id, parent } = entry;
            await opened.move(entry, folder);
            const now = (wanted: string) => opened.listAll().find((each) => each.id === wanted);
            return async () => {
              const moved = now(id);
              if (moved) await opened.move(moved, now(parent) ?? "");
            };
          },
          (name, count) => texts.moved(name, count, toSafeName(place)),
        );
      },
      async trash(rows) {
        if (!opened) return;
        await change(
          rows,
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
