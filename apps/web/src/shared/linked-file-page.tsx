import { KitProvider, useKit } from "@keeplight/react";
import { type ReactNode, useCallback } from "react";
import { DownloadButton } from "../file/download-button.tsx";
import { type FileFacts, toFileFacts } from "../file/file-facts.ts";
import { PreviewPanel } from "../file/preview-panel.tsx";
import { useOpenedFile } from "../file/use-opened-file.ts";
import { useSaveFile } from "../file/use-save-file.ts";
import { useMessages } from "../messages/language.ts";
import { ExplainContext } from "../messages/use-explain.ts";
import type { AppNetwork } from "../network.ts";
import { toHref } from "../routes.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { Screen } from "../ui/screen.tsx";
import { useQuery } from "../ui/use-query.ts";
import { explainLinkError } from "./explain-link-error.ts";
import { LinkFacts } from "./link-facts.tsx";
import type { LinkedFile } from "./open-received-link.ts";

/** The file of a link that was opened. A link that can be ended acts by its own account. */
export function LinkedFilePage({ file, network, keep }: { file: LinkedFile; network: AppNetwork; keep: ReactNode }) {
  const { endpoints, pauseMs } = network;
  const { signer } = file;
  const options = { endpoints, ...(pauseMs !== undefined && { pauseMs }), ...(signer && { signer }) };
  return (
    <KitProvider options={options}>
      <ExplainContext.Provider value={explainLinkError}>
        <Loading file={file} keep={keep} />
      </ExplainContext.Provider>
    </KitProvider>
  );
}

function Loading({ file, keep }: { file: LinkedFile; keep: ReactNode }) {
  const { shared } = useMessages();
  const kit = useKit();
  const { cid, name } = file;
  const load = useCallback(
    async (signal: AbortSignal) => {
      const info = await kit.getFileInfo(cid, { signal });
      return toFileFacts({ ...info, cid, fileName: name ?? info.fileName, encryption: true });
    },
    [kit, cid, name],
  );
  const info = useQuery(load);
  if (info.status === "loading") return <Screen title={"\u00a0"} />;
  if (info.status === "failed") {
    return (
      <Screen title={shared.cannotOpen}>
        <ErrorNote error={info.error} retry={info.reload} />
      </Screen>
    );
  }
  return <Loaded file={file} info={info.value} keep={keep} />;
}

function Loaded({ file, info, keep }: { file: LinkedFile; info: FileFacts; keep: ReactNode }) {
  const { shared, preview } = useMessages();
  const { cid, knownKey, signer } = file;
  const opened = useOpenedFile(cid, info, knownKey);
  const saving = useSaveFile(cid, info, opened, knownKey);
  return (
    <Screen
      title={toSafeName(info.fileName)}
      lead={<p>{signer ? shared.byEndingLink : shared.byLink}</p>}
      actions={
        <>
          {keep}
          <DownloadButton info={info} opened={opened} saving={saving} />
        </>
      }
    >
      <LinkFacts file={file} info={info} />
      {saving.state.status === "failed" && <ErrorNote error={saving.state.error} retry={saving.save} />}
      <h2 className="visually-hidden">{preview.title}</h2>
      <PreviewPanel info={info} cid={cid} opened={opened} knownKey={knownKey} />
      <p className="quiet link-note">
        {shared.forgets} {signer ? shared.endingNote : shared.keyNote}{" "}
        <a href={toHref({ screen: "files" })}>{shared.ownFiles}</a>
      </p>
    </Screen>
  );
}
