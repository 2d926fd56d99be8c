import { type FileKind, getFileKind, getIconName, getMimeType } from "../files/file-kind.ts";
import { Icon } from "../ui/icon.tsx";
import { useThumbnail } from "./use-thumbnails.ts";

interface FileIconProps {
  cid: string;
  name: string;
  mimeType: string | null | undefined;
  isFolder: boolean;
  size?: number;
}

const withThumbnails: readonly FileKind[] = ["image", "video", "pdf"];

/** The thumbnail of a picture, a film or a PDF, or else the icon of a kind. Decorative, as `Icon`, and of the same size. */
export function FileIcon({ cid, name, mimeType, isFolder, size }: FileIconProps) {
  const hasThumbnail = !isFolder && withThumbnails.includes(getFileKind(getMimeType(name, mimeType)));
  const url = useThumbnail(hasThumbnail ? cid : undefined);
  return (
    <span className="file-icon">
      {url === undefined ? (
        <Icon name={isFolder ? "folder" : getIconName(name, mimeType)} {...(size !== undefined && { size })} />
      ) : (
        <img className="thumbnail" src={url} alt="" decoding="async" draggable={false} />
      )}
    </span>
  );
}
