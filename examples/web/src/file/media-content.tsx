/** Kinds of files of which browsers read only the parts that they show. */
export type MediaKind = "video" | "audio" | "pdf";

/** A player, or a viewer. */
export function MediaContent({ kind, url, name }: { kind: MediaKind; url: string; name: string }) {
  switch (kind) {
    case "video":
      // biome-ignore lint/a11y/useMediaCaption: users' own files have no captions.
      return <video className="preview-video" src={url} controls aria-label={name} />;
    case "audio":
      // biome-ignore lint/a11y/useMediaCaption: users' own files have no captions.
      return <audio className="preview-audio" src={url} controls aria-label={name} />;
    case "pdf":
      return <iframe className="preview-pdf" src={url} title={name} />;
  }
}
