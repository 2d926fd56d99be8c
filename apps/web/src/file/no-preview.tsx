import { useMessages } from "../messages/language.ts";
import { Empty } from "../ui/empty.tsx";
import type { MediaViewer } from "./viewer.ts";

/** Instead of a preview. `broken` is what the file claims to be, if it is damaged or in a format unknown to the browser. */
export function NoPreview({ broken }: { broken?: "image" | MediaViewer }) {
  const { preview } = useMessages();
  if (broken === undefined) {
    return (
      <Empty icon="file" title={preview.noneTitle}>
        {preview.noneHint}
      </Empty>
    );
  }
  return (
    <div className={`preview-broken preview-broken-${broken}`}>
      <Empty icon="warning" title={preview.broken[broken]}>
        {preview.brokenHint}
      </Empty>
    </div>
  );
}
