import { createApiKey } from "keeplight";
import { useState } from "react";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { useAskWallet } from "../session/wallet-gate.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { useAction } from "../ui/use-action.ts";

/** Creates an API key for the user's own apps. It is shown until the screen unmounts, and not stored. */
export function ApiKeyPanel() {
  const { settings, ui } = useMessages();
  const { network } = useSession();
  const askWallet = useAskWallet();
  const [apiKey, setApiKey] = useState<string>();
  const creating = useAction();
  const create = async () => {
    const own = await askWallet();
    if (!own) return;
    const { signer } = own;
    await creating.run(async (signal) =>
      setApiKey(await createApiKey({ signer, endpoints: network.endpoints, signal })),
    );
  };
  return (
    <section className="card api-key" aria-labelledby="api-key-title">
      <h2 id="api-key-title">{settings.apiKey}</h2>
      <p className="quiet">{settings.apiKeyHint}</p>
      <div className="api-key-row">
        <output className={apiKey ? "mono" : "quiet"} aria-label={settings.yourApiKey}>
          {apiKey ?? settings.newKeyHint}
        </output>
        {apiKey ? (
          <CopyButton text={apiKey} what={settings.apiKey} label={ui.copy} />
        ) : (
          <Button busy={creating.status === "busy"} onClick={create}>
            {settings.createKey}
          </Button>
        )}
      </div>
      {creating.status === "failed" && <ErrorNote error={creating.error} />}
    </section>
  );
}
