import { toHref } from "../routes.ts";
import { Empty } from "../ui/empty.tsx";

/** Instead of sharing and rules: a public file has neither. */
export function NotEncrypted({ cid }: { cid: string }) {
  return (
    <section className="card">
      <Empty icon="globe" title="This file is public">
        Anyone with its CID can read it, so there is nothing to share or to restrict.{" "}
        <a href={toHref({ screen: "file", cid, tab: "preview" })}>Show the file</a>
      </Empty>
    </section>
  );
}
