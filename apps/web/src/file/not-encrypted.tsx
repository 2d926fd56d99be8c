import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { Empty } from "../ui/empty.tsx";

/** Instead of sharing and rules: a public file has neither. */
export function NotEncrypted({ cid }: { cid: string }) {
  const { file } = useMessages();
  return (
    <section className="card">
      <Empty icon="globe" title={file.publicTitle}>
        {file.publicHint} <a href={toHref({ screen: "file", cid, tab: "preview" })}>{file.showFile}</a>
      </Empty>
    </section>
  );
}
