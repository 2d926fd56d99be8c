import { KitProvider, useKit } from "@keeplight/react";
import { useCallback } from "react";
import { DownloadButton } from "../file/download-button.tsx";
import { Fact } from "../file/fact.tsx";
import { formatSize } from "../file/file-facts.ts";
import { PreviewPanel } from "../file/preview-panel.tsx";
import { useOpenedFile } from "../file/use-opened-file.ts";
import { useSaveFile } from "../file/use-save-file.ts";
import { useMessages } from "../messages/language.ts";
import type { AppNetwork } from "../network.ts";
import { toHref } from "../routes.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { Screen } from "../ui/screen.tsx";
import { useQuery } from "../ui/use-query.ts";
import { type LinkedFile, readShareLink } from "./read-share-link.ts";

/** A file that somebody shared by a link with its key. No account takes part. */
export function LinkScreen({ link, network }: { link: string; network: AppNetwork }) {
  const { endpoints, pauseMs } = network;
  return (
    <KitProvider key={link} options={pauseMs === undefined ? { endpoints } : { endpoints, pauseMs }}>
      <Linked link={link} />
    </KitProvider>
  );
}

function Linked({ link }: { link: string }) {
  const { shared } = useMessages();
  const kit = useKit();
  const load = useCallback((signal: AbortSignal) => readShareLink(kit, link, signal), [kit, link]);
  const file = useQuery(load);
  if (file.status === "loading") return <Screen title={"\u00a0"} />;
  if (file.status === "failed") {
    return (
      <Screen title={shared.cannotOpen}>
        <ErrorNote error={file.error} retry={file.reload} />
      </Screen>
    );
  }
  return <LinkedFilePage file={file.value} />;
}

function LinkedFilePage({ file: { cid, info, linkKey } }: { file: LinkedFile }) {
  const { shared, file: texts, preview } = useMessages();
  const opened = useOpenedFile(cid, info, linkKey);
  const saving = useSaveFile(cid, info, opened, linkKey);
  return (
    <Screen
      title={toSafeName(info.fileName)}
      lead={<p>{shared.byLink}</p>}
      actions={<DownloadButton info={info} opened={opened} saving={saving} />}
    >
      <dl className="file-facts">
        <Fact name={texts.kind}>{texts.kinds[info.viewer]}</Fact>
        <Fact name={texts.size}>
          <span className="numbers">{formatSize(info)}</span>
        </Fact>
        <Fact name={shared.key}>
          <span className="badge badge-good">
            <Icon name="check" size={14} />
            {shared.verified}
          </span>
        </Fact>
      </dl>
      {saving.state.status === "failed" && <ErrorNote error={saving.state.error} retry={saving.save} />}
      <h2 className="visually-hidden">{preview.title}</h2>
      <PreviewPanel info={info} cid={cid} opened={opened} knownKey={linkKey} />
      <p className="quiet link-note">
        {shared.keepLink} <a href={toHref({ screen: "files" })}>{shared.ownFiles}</a>
      </p>
    </Screen>
  );
}
