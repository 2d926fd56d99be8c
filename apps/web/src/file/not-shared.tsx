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

/** Instead of sharing and rules: the key of the account's own drive opens the names of all its files. */
export function DriveKey() {
  const { file } = useMessages();
  return (
    <section className="card">
      <Empty icon="lock" title={file.driveKeyTitle}>
        {file.driveKeyHint}
      </Empty>
    </section>
  );
}
