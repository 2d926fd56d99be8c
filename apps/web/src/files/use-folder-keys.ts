import type { DriveEntry } from "@keeplight/drive";
import { useRef } from "react";
import type { Row } from "../drive/rows.ts";
import { toHref } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useLatestToastAction } from "../ui/toasts.tsx";
import type { Asking } from "./files-dialogs.tsx";
import { setListPlace } from "./list-place.ts";
import { getRowFolder, getRowRoute } from "./row-route.ts";
import type { RowFocus } from "./use-row-focus.ts";
import { useScreenKeys } from "./use-screen-keys.ts";

/**
 * Connects the keys of the screen to a folder of files. They change the selected rows; without a selection, the one that has the
 * focus. Returns what opens a row: the list of a folder that is opened has the focus again.
 */
export function useFolderKeys({
  path,
  folder,
  shown,
  chosen,
  focus,
  select,
  clear,
  remove,
  ask,
}: {
  /** Of the folder; empty at the top. */
  path: string;
  folder: DriveEntry | undefined;
  shown: readonly Row[];
  chosen: readonly Row[];
  focus: RowFocus;
  select: (ids: readonly string[], isSelected: boolean) => void;
  clear: () => void;
  remove: (rows: readonly Row[]) => Promise<void>;
  ask: (asking: Asking) => void;
}): (row: Row) => void {
  const { groups } = useAccountData();
  const undo = useLatestToastAction();
  const isRemoving = useRef(false);

  function listTargets(): readonly Row[] {
    const focused = focus.isInside() && focus.row ? [focus.row] : [];
    return (chosen.length > 0 ? chosen : focused).filter(({ id }) => id !== "");
  }
  useScreenKeys({
    selectAll() {
      select(
        shown.flatMap(({ id }) => id || []),
        true,
      );
      return shown.length > 0;
    },
    clear() {
      clear();
      return chosen.length > 0;
    },
    goUp() {
      if (path === "") return false;
      const above = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
      setListPlace(above, { key: folder?.id, isFocused: true });
      location.hash = toHref({ screen: "files", folder: above });
      return true;
    },
    rename() {
      const [row, other] = listTargets();
      if (!row?.entry || other) return false;
      ask({ kind: "rename", row });
      return true;
    },
    remove() {
      const rows = listTargets();
      if (rows.length > 0 && !isRemoving.current) {
        isRemoving.current = true;
        void remove(rows).finally(() => {
          isRemoving.current = false;
        });
      }
      return rows.length > 0;
    },
    undo() {
      undo();
      // The browser would undo what was typed into a field, out of sight.
      return true;
    },
    showKeys() {
      // A key that writes acts only where the focus shows that it does (WCAG 2.2, 2.1.4).
      if (!focus.isInside()) return false;
      ask({ kind: "keys" });
      return true;
    },
  });

  return (row) => {
    const route = getRowRoute(row, getRowFolder(row, groups));
    if (!route) return;
    if (route.screen === "files") setListPlace(route.folder ?? "", { key: undefined, isFocused: true });
    location.hash = toHref(route);
  };
}
