import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { listNames, useUploadLists } from "../uploads/use-upload-lists.ts";
import { openKeptThumbnails } from "./kept-thumbnails.ts";
import { listUploaded } from "./list-uploaded.ts";
import { createThumbnails, type Thumbnails } from "./thumbnails.ts";
import { ThumbnailsContext } from "./use-thumbnails.ts";

/** The thumbnails of the account's files, made of what this device has anyway: nothing is downloaded for them. */
export function ThumbnailsProvider({ children }: { children: ReactNode }) {
  const { apiKey, journal } = useSession();
  const { files, drive } = useAccountData();
  const place = journal?.place;
  const [thumbnails, setThumbnails] = useState<Thumbnails>();
  useEffect(() => {
    const opened = createThumbnails(place === undefined ? undefined : openKeptThumbnails(apiKey, place));
    setThumbnails(opened);
    return opened.close;
  }, [apiKey, place]);
  const isOwn = (cid: string) => drive.files.has(cid) || files.files.some((file) => file.cid === cid);
  const latest = useRef(isOwn);
  latest.current = isOwn;
  const value = useMemo(
    () =>
      thumbnails && {
        load: thumbnails.load,
        subscribe: thumbnails.subscribe,
        // Nothing is kept of the files of others, which their owners may close again.
        make(cid: string, file: Blob) {
          if (latest.current(cid)) thumbnails.make(cid, file);
        },
        capture(cid: string, player: HTMLVideoElement) {
          if (latest.current(cid)) thumbnails.capture(cid, player);
        },
      },
    [thumbnails],
  );
  return (
    <ThumbnailsContext.Provider value={value}>
      {children}
      {thumbnails && <UploadedThumbnails thumbnails={thumbnails} />}
    </ThumbnailsContext.Provider>
  );
}

/** Makes the thumbnails of files that this page has uploaded. */
function UploadedThumbnails({ thumbnails }: { thumbnails: Thumbnails }) {
  const lists = useUploadLists();
  const seen = useRef(new Set<string>());
  const done = listNames.reduce((sum, name) => sum + lists[name].total.count.done, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is complete is looked for once there is more of it.
  useEffect(() => {
    for (const { id, source, state } of listNames.flatMap((name) => lists[name].uploads)) {
      if (state.status !== "done" || seen.current.has(id)) continue;
      seen.current.add(id);
      for (const [cid, file] of listUploaded({ source, state })) thumbnails.make(cid, file);
    }
  }, [thumbnails, done]);
  return null;
}
