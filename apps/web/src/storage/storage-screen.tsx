import { useMessages } from "../messages/language.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { Screen } from "../ui/screen.tsx";
import { LargestFiles } from "./largest-files.tsx";
import { PayPanel } from "./pay-panel.tsx";
import { canPay } from "./upload-network.ts";
import { UsageChart } from "./usage-chart.tsx";

/** Storage usage, and buying more storage. */
export function StorageScreen() {
  const { storage } = useMessages();
  const { balance, files, groups } = useAccountData();
  const { network } = useSession();
  const known = files.files;
  return (
    <Screen title={storage.title}>
      <div className="columns">
        <div className="stack">
          <UsageChart usage={balance.data} files={known} />
          <LargestFiles files={groups.shown.filter(({ cid }) => !groups.partial.has(cid))} folders={groups.members} />
          {balance.error && <ErrorNote error={balance.error} retry={() => balance.refetch()} />}
        </div>
        {canPay(network) && <PayPanel />}
      </div>
    </Screen>
  );
}
