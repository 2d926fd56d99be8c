import { useEffect, useEffectEvent, useState } from "react";
import { isCovered } from "../ui/is-covered.ts";
import { hasFiles } from "./refuse-drops.ts";

/** Receives files that are dropped anywhere in the window. Returns whether some are dragged over it. */
export function useFileDrop(onFiles: (transfer: DataTransfer) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const receive = useEffectEvent(onFiles);
  useEffect(() => {
    const onDragOver = (event: DragEvent) => {
      if (!hasFiles(event) || isCovered()) return;
      event.preventDefault();
      // After `refuseDrops`, which is asked first.
      if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
      setIsOver(true);
    };
    const onDragLeave = ({ relatedTarget }: DragEvent) => {
      // Otherwise it is dragged over another element of the window.
      if (relatedTarget === null) setIsOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setIsOver(false);
      if (!hasFiles(event) || isCovered()) return;
      event.preventDefault();
      if (event.dataTransfer) receive(event.dataTransfer);
    };
    window.addEventListener("dragover", onDragOver);
    window.addEventListener("dragleave", onDragLeave);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragover", onDragOver);
      window.removeEventListener("dragleave", onDragLeave);
      window.removeEventListener("drop", onDrop);
    };
  }, []);
  return isOver;
}
