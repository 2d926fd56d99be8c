import { createContext, type DragEvent, useContext, useState } from "react";

/** Of what the page itself drags. */
const TYPE = "application/x-keeplight-rows";

/** What is dropped on a folder: called with the ids of rows, and the folder's path. */
export const DropContext = createContext<(ids: readonly string[], folder: string) => void>(() => undefined);

/** Starts to drag rows by their ids. */
export function startDrag({ dataTransfer }: DragEvent, ids: readonly string[]): void {
  dataTransfer.setData(TYPE, JSON.stringify(ids));
  dataTransfer.effectAllowed = "move";
}

/** Properties of an element on which rows can be dropped, to move them to a folder; none without a folder. */
export function useDropTarget(folder: string | undefined) {
  const onDrop = useContext(DropContext);
  const [isOver, setOver] = useState(false);
  if (folder === undefined) return {};
  return {
    className: isOver ? "drop-target" : undefined,
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes(TYPE)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      setOver(false);
      const text = event.dataTransfer.getData(TYPE);
      if (text === "") return;
      event.preventDefault();
      onDrop(JSON.parse(text) as string[], folder);
    },
  };
}
