import { useMessages } from "../messages/language.ts";
import type { AppNetwork } from "../network.ts";
import { useRoute } from "../routes.ts";
import { RecipientCard } from "./recipient-card.tsx";
import { SplitPicture } from "./split-picture.tsx";

/** What the app does; for somebody who follows a link, what it leads to. */
export function Pitch({ network }: { network: AppNetwork }) {
  const { connect, requests } = useMessages();
  const route = useRoute();
  if (route.screen === "file" || route.screen === "folder") {
    const isFolder = route.screen === "folder";
    return (
      <section className="connect-pitch">
        <h1>{isFolder ? connect.recipientFolderHeadline : connect.recipientHeadline}</h1>
        <RecipientCard
          key={route.cid}
          cid={route.cid}
          name={"name" in route ? route.name : undefined}
          network={network}
          isFolder={isFolder}
        />
        <p>{isFolder ? connect.recipientFolderHint : connect.recipientHint}</p>
      </section>
    );
  }
  if (route.screen === "request") {
    return (
      <section className="connect-pitch">
        <h1>{requests.connectHeadline}</h1>
        <p>{requests.connectHint}</p>
      </section>
    );
  }
  return (
    <section className="connect-pitch">
      <h1>{connect.headline}</h1>
      <p>{connect.pitch}</p>
      <SplitPicture />
    </section>
  );
}
