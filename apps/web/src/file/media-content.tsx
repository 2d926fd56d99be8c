import { useEffect, useState } from "react";
import { toSafeName } from "../ui/file-name.tsx";
import { FilmPlayer } from "./film-player.tsx";
import { isPdf } from "./is-pdf.ts";
import { NoPreview } from "./no-preview.tsx";
import type { MediaViewer } from "./viewer.ts";

interface MediaContentProps {
  viewer: MediaViewer;
  url: string;
  cid: string;
  name: string;
}

/** A player, or a viewer; for a damaged file, what can be done instead. */
export function MediaContent({ viewer, url, cid, name }: MediaContentProps) {
  const [isBroken, setBroken] = useState(false);
  const label = toSafeName(name);
  useEffect(() => {
    if (viewer !== "pdf") return;
    const controller = new AbortController();
    isPdf(url, controller.signal).then(
      (isValid) => isValid || setBroken(true),
      () => undefined,
    );
    return () => controller.abort();
  }, [viewer, url]);
  if (isBroken) return <NoPreview broken={viewer} />;
  const fail = () => setBroken(true);
  switch (viewer) {
    case "video":
      return <FilmPlayer url={url} cid={cid} label={label} onError={fail} />;
    case "audio":
      // biome-ignore lint/a11y/useMediaCaption: users' own files have no captions.
      return <audio className="preview-audio" src={url} controls aria-label={label} onError={fail} />;
    case "pdf":
      return <iframe className="preview-pdf" src={url} title={label} />;
  }
}
