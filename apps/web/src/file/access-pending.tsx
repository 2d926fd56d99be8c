import type { AccessConditions } from "keeplight";
import { ErrorNote } from "../ui/error-note.tsx";
import type { Query } from "../ui/use-query.ts";

/** Who may open a file, as the key nodes report it; undefined for a public file. */
export type AccessQuery = Query<AccessConditions | undefined> & { reload: () => void };

/** Instead of sharing and rules, while it is not known who may open the file. */
export function AccessPending({ access }: { access: AccessQuery }) {
  if (access.status !== "failed") return <section className="card preview preview-closed" aria-busy="true" />;
  return (
    <section className="card">
      <ErrorNote error={access.error} retry={access.reload} />
    </section>
  );
}
