import { Empty } from "../ui/empty.tsx";
import { describeViewer, type Viewer } from "./viewer.ts";

/** Instead of a preview: the file is damaged or in a format that the browser does not know, or of another kind. */
export function NoPreview({ viewer, isBroken = false }: { viewer: Viewer; isBroken?: boolean }) {
  if (!isBroken) {
    return (
      <Empty icon="file" title="No preview">
        Download the file to open it on your device.
      </Empty>
    );
  }
  return (
    <div className={`preview-broken preview-broken-${viewer}`}>
      <Empty icon="warning" title={`Can’t show this ${describeViewer(viewer).toLowerCase().replace("pdf", "PDF")}`}>
        It may be damaged, or in a format that your browser doesn’t know. Download it to open it on your device.
      </Empty>
    </div>
  );
}
