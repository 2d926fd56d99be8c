import { formatBytes } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";

/** The account's storage usage, in the rail. */
export function UsageMeter() {
  const { shell } = useMessages();
  const { balance } = useAccountData();
  const usage = balance.data;
  const fraction = usage && usage.dataLimit > 0 ? Math.min(usage.dataUsed / usage.dataLimit, 1) : 0;
  return (
    <div className="usage-meter">
      <div className="usage-bar" aria-hidden="true">
        <span style={{ transform: `scaleX(${Math.max(fraction, usage && usage.dataUsed > 0 ? 0.01 : 0)})` }} />
      </div>
      <p>{usage ? shell.used(formatBytes(usage.dataUsed), formatBytes(usage.dataLimit)) : "\u00a0"}</p>
    </div>
  );
}
