import { createContext, useContext, useEffect, useState } from "react";
import type { Thumbnails } from "./thumbnails.ts";

/** `undefined` for who is not signed in. */
export const ThumbnailsContext = createContext<Omit<Thumbnails, "close"> | undefined>(undefined);

/** The URL of a file's thumbnail, valid while the component shows it; `undefined` as long as there is none. */
export function useThumbnail(cid: string | undefined): string | undefined {
  const thumbnails = useContext(ThumbnailsContext);
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!thumbnails || cid === undefined) return;
    let shown: string | undefined;
    let isOver = false;
    const hide = () => {
      if (shown !== undefined) URL.revokeObjectURL(shown);
      setUrl(undefined);
    };
    const show = async () => {
      const thumbnail = await thumbnails.load(cid);
      if (isOver || !thumbnail) return;
      hide();
      shown = URL.createObjectURL(thumbnail);
      setUrl(shown);
    };
    void show();
    const unsubscribe = thumbnails.subscribe(cid, show);
    return () => {
      isOver = true;
      unsubscribe();
      hide();
    };
  }, [thumbnails, cid]);
  return url;
}

/** Makes the thumbnail of a picture or a PDF of the account that is shown. */
export function useThumbnailOfBlob(cid: string, blob: Blob): void {
  const thumbnails = useContext(ThumbnailsContext);
  useEffect(() => thumbnails?.make(cid, blob), [thumbnails, cid, blob]);
}

/** Returns what makes the thumbnail of a film of the account from the frame that its player shows. */
export function useCaptureThumbnail(cid: string): (player: HTMLVideoElement) => void {
  const thumbnails = useContext(ThumbnailsContext);
  return (player) => thumbnails?.capture(cid, player);
}
