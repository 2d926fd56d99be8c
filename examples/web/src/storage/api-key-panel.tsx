import { createApiKey } from "keeplight";
import { useState } from "react";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useAction } from "../ui/use-action.ts";

/** Makes an API key for programs of one's own. It is shown until the screen goes, and kept nowhere. */
export function ApiKeyPanel() {
  const { signer, network } = useSession();
  const [apiKey, setApiKey] = useState<string>();
  const making = useAction();
  const make = () =>
    making.run(async (signal) => setApiKey(await createApiKey({ signer, endpoints: network.endpoints, signal })));
  return (
    <section className="card api-key" aria-labelledby="api-key-title">
      <h2 id="api-key-title">API key</h2>
      <p className="quiet">
        For programs of your own, which then upload as you do here. Your wallet signs for it; this page does not keep
        it.
      </p>
      <div className="api-key-row">
        <output className={apiKey ? "mono" : "mono quiet"} aria-label="Your API key">
          {apiKey ?? "•••••••• •••• •••• •••• ••••••••••••"}
        </output>
        {apiKey ? (
          <CopyButton text={apiKey} what="API key" words="Copy" />
        ) : (
          <Button busy={making.status === "busy"} onClick={make}>
            Make one
          </Button>
        )}
      </div>
      {making.status === "failed" && <ErrorNote error={making.error} />}
    </section>
  );
}
