import type { AppNetwork } from "../network.ts";
import { useRoute } from "../routes.ts";
import { RecipientCard } from "./recipient-card.tsx";
import { SplitPicture } from "./split-picture.tsx";

/** What the app does; for somebody who follows a link, what it leads to. */
export function Pitch({ network }: { network: AppNetwork }) {
  const route = useRoute();
  if (route.screen === "file") {
    return (
      <section className="connect-pitch">
        <h1>Someone sent you a file.</h1>
        <RecipientCard key={route.cid} cid={route.cid} network={network} />
        <p>Connect your wallet to open it. An encrypted file opens for the wallet that it was shared with.</p>
      </section>
    );
  }
  return (
    <section className="connect-pitch">
      <h1>Files that open for the people you choose. No one else.</h1>
      <p>
        They are encrypted on your device before anything leaves it. Each file’s key is split across five independent
        nodes. Any three can restore it; two reveal nothing.
      </p>
      <SplitPicture />
    </section>
  );
}
