import { useRef } from "react";
import { chooseSecond } from "../thumbnails/choose-second.ts";
import { useCaptureThumbnail } from "../thumbnails/use-thumbnails.ts";

/** Plays a film, of which a thumbnail is made once it has started. */
export function FilmPlayer({
  url,
  cid,
  label,
  onError,
}: {
  url: string;
  cid: string;
  label: string;
  onError: () => void;
}) {
  const capture = useCaptureThumbnail(cid);
  const captured = useRef<string>(undefined);
  return (
    // biome-ignore lint/a11y/useMediaCaption: users' own files have no captions.
    <video
      className="preview-video"
      src={url}
      controls
      aria-label={label}
      onError={onError}
      onTimeUpdate={({ currentTarget: player }) => {
        if (captured.current === url || player.currentTime < chooseSecond(player.duration)) return;
        captured.current = url;
        capture(player);
      }}
    />
  );
}
