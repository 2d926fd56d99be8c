import { getFileInfo, kavachGetAccessConditions, parseFolderName } from "keeplight";
import { useCallback } from "react";
import { formatSize, readFileFacts } from "../file/file-facts.ts";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import type { AppNetwork } from "../network.ts";
import { AddressBadge } from "../shell/address-badge.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { FileName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { useQuery } from "../ui/use-query.ts";

/** Longer names are cut: they come from strangers. */
const SHOWN_CHARACTERS = 120;

/** What the network says, without a sign-in, of the file that a link leads to. Nothing authenticates it. */
export function RecipientCard({
  cid,
  name: linkName,
  network,
  isFolder,
}: {
  cid: string;
  /** What the link calls it, if it does. */
  name: string | undefined;
  network: AppNetwork;
  isFolder: boolean;
}) {
  const { connect, file: texts } = useMessages();
  const { endpoints } = network;
  const load = useCallback(
    async (signal: AbortSignal) => {
      const read = (known: string) => getFileInfo(known, { endpoints, signal });
      const info = await readFileFacts({ getFileInfo: read }, cid, signal, linkName);
      if (!info.encryption) return { info };
      // The file is shown without its owner if no key node responds.
      const access = await kavachGetAccessConditions(cid, { endpoints, signal }).catch(() => undefined);
      const owner = access?.owner ?? "";
      return /^[0-9a-z]{32,64}$/i.test(owner) ? { info, owner } : { info };
    },
    [endpoints, cid, linkName],
  );
  const file = useQuery(load);
  if (file.status === "loading") return <div className="recipient" aria-busy="true" />;
  if (file.status === "failed") {
    // The network knows nothing of folders in a public folder.
    if (isFolder) return null;
    return (
      <div className="recipient">
        <ErrorNote error={file.error} />
      </div>
    );
  }
  const { info, owner } = file.value;
  const name = (info.encryption && parseFolderName(info.fileName)?.name) || info.fileName;
  return (
    <div className="recipient">
      <span className="file-icon">
        <Icon name={isFolder ? "folder" : info.encryption ? "lock" : "globe"} size={24} />
      </span>
      <div>
        <p className="recipient-name">
          <FileName>{cut(isFolder ? name : info.fileName)}</FileName>
        </p>
        <p className="quiet">
          {isFolder ? texts.folder : texts.kinds[info.viewer]}
          {!isFolder && (
            <>
              {" · "}
              <span className="numbers">{formatSize(info)}</span>
            </>
          )}
        </p>
        {owner !== undefined && (
          <p className="file-owner" title={owner}>
            <AddressBadge address={owner} size={18} />
            <span>
              {connect.from} <span className="mono">{shorten(owner, 8, 6)}</span>
            </span>
          </p>
        )}
        <p className="quiet recipient-note">{connect.unverified}</p>
      </div>
    </div>
  );
}

function cut(name: string): string {
  return name.length <= SHOWN_CHARACTERS ? name : `${name.slice(0, SHOWN_CHARACTERS)}…`;
}
