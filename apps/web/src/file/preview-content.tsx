import type { ShownFile } from "@keeplight/react";
import { lazy, Suspense, useState } from "react";
import { useMessages } from "../messages/language.ts";
import { useThumbnailOfBlob } from "../thumbnails/use-thumbnails.ts";
import { Empty } from "../ui/empty.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { MediaContent } from "./media-content.tsx";
import { NoPreview } from "./no-preview.tsx";
import type { Viewer } from "./viewer.ts";

const TextContent = lazy(() =>
  import("./viewers/text-content.tsx").then((module) => ({ default: module.TextContent })),
);

/** The file's content, in the viewer of its kind. */
export function PreviewContent({
  viewer,
  file: { cid, url, blob },
  name,
}: {
  viewer: Viewer;
  file: ShownFile;
  name: string;
}) {
  const { preview } = useMessages();
  if (blob.size === 0) {
    return (
      <Empty icon="file" title={preview.emptyTitle}>
        {preview.emptyHint}
      </Empty>
    );
  }
  switch (viewer) {
    case "image":
      return <ImageContent url={url} cid={cid} blob={blob} name={name} />;
    case "pdf":
      return <PdfContent url={url} cid={cid} blob={blob} name={name} />;
    case "video":
    case "audio":
      return <MediaContent viewer={viewer} url={url} cid={cid} name={name} />;
    case "none":
      return <NoPreview />;
    default:
      return (
        <Suspense fallback={<div className="preview-text" aria-busy="true" />}>
          <TextContent viewer={viewer} blob={blob} name={name} />
        </Suspense>
      );
  }
}

function PdfContent({ url, cid, blob, name }: ShownFile & { name: string }) {
  useThumbnailOfBlob(cid, blob);
  return <MediaContent viewer="pdf" url={url} cid={cid} name={name} />;
}

function ImageContent({ url, cid, blob, name }: ShownFile & { name: string }) {
  useThumbnailOfBlob(cid, blob);
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <NoPreview broken="image" />;
  return <img className="preview-image" src={url} alt={toSafeName(name)} onError={() => setBroken(true)} />;
}
