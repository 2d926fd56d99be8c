import { useCallback, useState } from "react";
import { formatBytes } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { Button } from "../ui/button.tsx";
import { useQuery } from "../ui/use-query.ts";

/** How much this site takes of the disk, and whether the browser may delete it. */
export function DiskFacts() {
  const { settings } = useMessages();
  const [isDenied, setDenied] = useState(false);
  const { value, reload } = useQuery(useCallback(readDisk, []));
  const persist = async () => {
    setDenied(!(await navigator.storage.persist().catch(() => false)));
    reload();
  };
  return (
    <>
      <div>
        <dt>{settings.used}</dt>
        <dd>
          {value === undefined
            ? "\u00a0"
            : value.usage === undefined || value.quota === undefined
              ? settings.unknown
              : settings.usedOf(formatBytes(value.usage), formatBytes(value.quota))}
        </dd>
      </div>
      <div>
        <dt>{settings.protection}</dt>
        <dd className="settings-protection">
          {value === undefined
            ? "\u00a0"
            : value.isPersisted === undefined
              ? settings.unknown
              : value.isPersisted
                ? settings.persisted
                : settings.notPersisted}
          {value?.isPersisted === false && <Button onClick={() => void persist()}>{settings.persist}</Button>}
          <span role="status" className="hint">
            {isDenied && settings.persistDenied}
          </span>
        </dd>
      </div>
    </>
  );
}

/** Reads what the browser reports of this site's storage. Old browsers, and those that block it, report less. */
async function readDisk(): Promise<{ usage?: number; quota?: number; isPersisted?: boolean }> {
  const storage: Partial<StorageManager> = navigator.storage ?? {};
  const [estimate, isPersisted] = await Promise.all([
    storage.estimate?.().catch(() => undefined),
    storage.persisted?.().catch(() => undefined),
  ]);
  return { ...estimate, ...(isPersisted !== undefined && { isPersisted }) };
}
