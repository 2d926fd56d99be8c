import { useEffect, useMemo } from "react";
import type { Row } from "../drive/rows.ts";
import { DownloadButton } from "../file/download-button.tsx";
import { toRowFacts } from "../file/file-facts.ts";
import { useOpenedFile } from "../file/use-opened-file.ts";
import { useSaveFile } from "../file/use-save-file.ts";
import { useMessages } from "../messages/language.ts";
import { useExplain } from "../messages/use-explain.ts";
import { toSafeName } from "../ui/file-name.tsx";
import { useToast } from "../ui/toasts.tsx";

/** The button that saves a file, and its progress. A failure is shown in a toast, as the file may be out of sight by then. */
export function DetailsDownload({
  row,
  isShown,
  onRun,
}: {
  row: Row;
  isShown: boolean;
  /** Receives what has started; `row` as it was then. */
  onRun: (row: Row, work: Promise<void>) => void;
}) {
  const { details: texts } = useMessages();
  const toast = useToast();
  const explain = useExplain();
  const info = useMemo(() => toRowFacts(row), [row]);
  const opened = useOpenedFile(row.cid, info);
  const saving = useSaveFile(row.cid, info, opened);
  const failed = [saving.state, opened.state].find(({ status }) => status === "failed");
  const error = failed?.status === "failed" ? failed.error : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each failure.
  useEffect(() => {
    if (error === undefined) return;
    const { title, advice } = explain(error);
    toast(`${title}. ${advice}`);
  }, [error]);
  const save = async () => onRun(row, saving.save());
  return (
    <div hidden={!isShown}>
      <DownloadButton
        info={info}
        opened={opened}
        saving={{ ...saving, save }}
        label={texts.downloadOf(toSafeName(info.fileName))}
      />
    </div>
  );
}
