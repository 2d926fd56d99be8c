import type { AdoptedFile, Drive, DriveEntry } from "@keeplight/drive";
import { isKeeplightError } from "keeplight";
import { useCallback, useMemo } from "react";
import { getPlainSize } from "../file/file-facts.ts";
import { explainError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { getLastName } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { useToast } from "../ui/toasts.tsx";
import { listOutermost, type Row } from "./rows.ts";
import { type TakeBack, useOfferUndo } from "./use-offer-undo.ts";

/** Changes of the drive, each of which says what happened. */
export interface DriveActions {
  /** Moves rows to a folder by its path; empty for the top. Files that are in no folder yet are added to it. */
  move(rows: readonly Row[], folder: string): Promise<void>;
  trash(rows: readonly Row[]): Promise<void>;
  /** @throws what `drive.rename` throws */
  rename(row: Row, name: string): Promise<void>;
}

/** Moves, renames and deletes what is in the drive; each can be undone at once. */
export function useDriveActions(): DriveActions {
  const { drive: texts, files } = useMessages();
  const { drive: opened } = useAccountData().drive;
  const toast = useToast();
  const offerUndo = useOfferUndo();

  /** Makes a change, then says so, or why nothing has changed. */
  const change = useCallback(
    async (rows: readonly Row[], work: () => Promise<TakeBack>, done: (name: string, count: number) => string) => {
      try {
        const takeBack = await work();
        offerUndo(done(toSafeName(rows[0]?.fileName ?? files.unnamed), rows.length), takeBack);
      } catch (error) {
        if (isKeeplightError(error, "DUPLICATE_NAME")) {
          return toast(texts.nameTaken(toSafeName(getLastName(error.details.name))));
        }
        const { title, advice } = explainError(error);
        toast(`${title}. ${advice}`);
      }
    },
    [toast, offerUndo, texts, files],
  );

  return useMemo(
    () => ({
      async move(rows, folder) {
        if (!opened || rows.length === 0) return;
        // Another tab may have put them in a folder.
        if (rows.some(({ entry }) => !entry)) await opened.listLoose([]).catch(() => undefined);
        const place = folder === "" ? files.title : folder.slice(folder.lastIndexOf("/") + 1);
        await change(
          rows,
          () => moveRows(opened, rows, folder),
          (name, count) => texts.moved(name, count, toSafeName(place)),
        );
      },
      async trash(rows) {
        // What is in a folder that is moved to the trash stays in it.
        const outermost = listOutermost(rows);
        const entries = outermost.flatMap(({ entry }) => entry ?? []);
        if (!opened || entries.length === 0) return;
        const work = async () => {
          const trashed = await opened.trash(entries);
          return async () => {
            const now = new Map(opened.listAll().map((entry) => [entry.id, entry]));
            const back = trashed.filter(({ id }) => now.get(id)?.trashed);
            await opened.restore(back);
            return back.length === trashed.length;
          };
        };
        await change(outermost, work, texts.trashed);
      },
      async rename({ entry }, name) {
        if (!opened || !entry) return;
        const renamed = await opened.rename(entry, name);
        offerUndo(texts.renamed(toSafeName(name)), async () => {
          const now = opened.listAll().find(({ id }) => id === entry.id);
          const isSame = now?.name === renamed.name;
          if (isSame) await opened.rename(now, entry.name);
          return isSame;
        });
      },
    }),
    [opened, change, offerUndo, texts, files],
  );
}

/** Moves rows, or none of them; files that are in no folder yet are added to it. Returns what moves all back. */
async function moveRows(drive: Drive, rows: readonly Row[], folder: string): Promise<TakeBack> {
  const unplaced = rows.some(({ entry }) => !entry);
  const files = unplaced ? drive.listAll().filter((entry) => entry.type === "file") : [];
  const placed = new Map(files.map((file) => [file.cid, file]));
  const entries = rows.flatMap(({ entry, cid }) => entry ?? placed.get(cid) ?? []);
  const parents = entries.map(({ parent }) => parent);
  const loose = rows.filter(({ entry, cid }) => !entry && !placed.has(cid));
  const moved = await drive.move(entries, folder);
  /** What another device has moved since is not where it was put, and stays. */
  const findPlaces = () => {
    const all = new Map(drive.listAll().map((entry) => [entry.id, entry]));
    return { all, isHere: ({ id, parent: to }: DriveEntry) => all.get(id)?.parent === to };
  };
  const moveBack = async () => {
    const { all, isHere } = findPlaces();
    for (const parent of new Set(parents)) {
      const back = moved.filter((entry, at) => parents[at] === parent && isHere(entry));
      await drive.move(back, all.get(parent) ?? "");
    }
    return moved.every(isHere);
  };
  try {
    const adopted = await drive.adopt(loose.map((row) => toAdopted(row, folder)));
    return async () => {
      const isAll = await moveBack();
      const { isHere } = findPlaces();
      await drive.move(adopted.filter(isHere), "");
      return isAll && adopted.every(isHere);
    };
  } catch (error) {
    await moveBack();
    throw error;
  }
}

function toAdopted(row: Row, folder: string): AdoptedFile {
  const { cid, fileName } = row;
  const size = getPlainSize(row);
  return { cid, name: fileName ?? cid, folder, ...(size >= 0 && { size }) };
}
