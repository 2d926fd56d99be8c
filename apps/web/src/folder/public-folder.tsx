import { useKit } from "@keeplight/react";
import { useMessages } from "../messages/language.ts";
import { getLastName } from "../routes.ts";
import { useSession } from "../session/session.ts";
import { useIsOthers } from "../session/use-is-others.ts";
import { useRememberShared } from "../shared/use-remember-shared.ts";
import { Icon } from "../ui/icon.tsx";
import { ArchiveButton } from "./archive-button.tsx";
import { CopyFolderLink } from "./copy-folder-link.tsx";
import { DeleteFolder } from "./delete-folder.tsx";
import { FolderView } from "./folder-view.tsx";
import { isOtherKind } from "./is-other-kind.ts";
import { listPublicFolder } from "./list-archive.ts";
import { useFolderListing } from "./use-folder-listing.ts";
import { useSaveFolder } from "./use-save-folder.ts";

/** A folder that anyone can read, verified block by block. */
export function PublicFolder({ cid, path, root }: { cid: string; path: string; root: string }) {
  const { ui } = useMessages();
  const kit = useKit();
  const { network } = useSession();
  const listing = useFolderListing(cid, path);
  const isKnown = useIsOthers(cid) === true && path === "" && listing.status === "ready";
  useRememberShared(isKnown ? { cid, name: root, size: -1, encryption: false, isFolder: true } : undefined);
  const saving = useSaveFolder(getLastName(path) || root, (options) => listPublicFolder(kit, { cid, path }, options));
  const place = [cid, ...path.split("/").map(encodeURIComponent)].join("/");
  return (
    <FolderView
      cid={cid}
      root={root}
      path={path}
      listing={listing}
      isFile={isOtherKind(listing.error)}
      saving={saving}
      actions={
        <>
          <ArchiveButton saving={saving} />
          <CopyFolderLink cid={cid} path={path} />
          <a
            className="button button-secondary"
            href={`${network.endpoints.gateway}/ipfs/${place}`}
            target="_blank"
            rel="noreferrer"
          >
            <Icon name="external" size={18} />
            {ui.viewOnGateway}
          </a>
          {path === "" && <DeleteFolder cid={cid} />}
        </>
      }
    />
  );
}
