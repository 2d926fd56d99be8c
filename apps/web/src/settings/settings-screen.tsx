import { useMessages } from "../messages/language.ts";
import { Screen } from "../ui/screen.tsx";
import { ApiKeyPanel } from "./api-key-panel.tsx";
import { BrowserPanel } from "./browser-panel.tsx";
import { KitPanel } from "./kit-panel.tsx";
import { LookPanel } from "./look-panel.tsx";
import { SessionPanel } from "./session-panel.tsx";

/** The session, how the app looks, keys to take along, and what this browser stores. */
export function SettingsScreen() {
  const { settings } = useMessages();
  return (
    <Screen title={settings.title}>
      <div className="columns settings">
        <div className="stack">
          <SessionPanel />
          <LookPanel />
          <ApiKeyPanel />
        </div>
        <div className="stack">
          <KitPanel />
          <BrowserPanel />
        </div>
      </div>
    </Screen>
  );
}
