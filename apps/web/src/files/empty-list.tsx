import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { Empty } from "../ui/empty.tsx";
import { useMedia } from "../ui/use-media.ts";

/** Why the list of files is empty, and what to do next. */
export function EmptyList({ isMissing, isSearch, isTop }: { isMissing: boolean; isSearch: boolean; isTop: boolean }) {
  const { files: texts, drive } = useMessages();
  const hasTouch = useMedia("(hover: none)");
  if (isSearch) {
    return (
      <Empty icon="files" title={texts.noMatchTitle}>
        {texts.noMatchHint}
      </Empty>
    );
  }
  if (isMissing) {
    return (
      <Empty icon="folder" title={drive.missingTitle}>
        {drive.missingHint} <a href={toHref({ screen: "files" })}>{drive.showFiles}</a>
      </Empty>
    );
  }
  if (!isTop) {
    return (
      <Empty icon="folder" title={drive.emptyFolderTitle}>
        {drive.emptyFolderHint}
      </Empty>
    );
  }
  return (
    <Empty icon="files" title={texts.emptyTitle}>
      {hasTouch ? texts.emptyHintTouch : texts.emptyHint}
    </Empty>
  );
}
