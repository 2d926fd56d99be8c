import { useLinks } from "@keeplight/react/drive";
import { useMessages } from "../messages/language.ts";
import { LinkList } from "./link-list.tsx";

/** All links of the account. */
export function OwnLinks() {
  const { links } = useMessages();
  const { state } = useLinks();
  // Without a drive there is none, and each file says why.
  if (state.status === "failed") return null;
  return (
    <section className="card shared-list" aria-labelledby="links-title" aria-busy={state.status === "loading"}>
      <h2 id="links-title">{links.ownTitle}</h2>
      {state.status === "ready" && state.value.length === 0 && <p className="quiet">{links.ownEmpty}</p>}
      {state.status === "ready" && state.value.length > 0 && <LinkList links={state.value} hasNames />}
    </section>
  );
}
