import { useMessages } from "../messages/language.ts";
import { Icon } from "../ui/icon.tsx";
import { useOnline } from "../ui/use-online.ts";

/** Says that there is no connection. It takes no place of other content, so that nothing shifts. */
export function OfflineBanner() {
  const { shell } = useMessages();
  const isOnline = useOnline();
  return (
    <div role="status" className="offline">
      {!isOnline && (
        <p className="offline-banner">
          <Icon name="warning" size={18} />
          {shell.offline}
        </p>
      )}
    </div>
  );
}
