import { Icon, type IconName } from "../ui/icon.tsx";
import { useThumbnail } from "./use-thumbnails.ts";

/** The thumbnail of a picture or a film, or else the icon of a file's kind. Decorative, as `Icon`, and of the same size. */
export function FileIcon({ icon, cid, size }: { icon: IconName; cid: string; size?: number }) {
  const url = useThumbnail(icon === "image" || icon === "video" ? cid : undefined);
  return (
    <span className="file-icon">
      {url === undefined ? (
        <Icon name={icon} {...(size !== undefined && { size })} />
      ) : (
        <img className="thumbnail" src={url} alt="" decoding="async" draggable={false} />
      )}
    </span>
  );
}
