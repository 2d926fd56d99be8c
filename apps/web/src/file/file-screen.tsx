import { useKit } from "@keeplight/react";
import { useCallback, useEffect, useMemo } from "react";
import { useRecordSharing } from "../files/use-sharing.ts";
import { useFileLinks } from "../links/use-file-links.ts";
import { isRefusal } from "../messages/explain-error.ts";
import { shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { AskAccess } from "../requests/ask-access.tsx";
import { type FileTab, replaceRoute } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { useIsOthers } from "../session/use-is-others.ts";
import { toSharedItem } from "../shared/shared-item.ts";
import { useRememberShared } from "../shared/use-remember-shared.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { Screen } from "../ui/screen.tsx";
import { useQuery } from "../ui/use-query.ts";
import { ConditionsPanel } from "./conditions-panel.tsx";
import { FileActions } from "./file-actions.tsx";
import { toEntryFacts, toFileFacts, toOwnFacts } from "./file-facts.ts";
import { FileHead } from "./file-head.tsx";
import { FileTabs } from "./file-tabs.tsx";
import { findFacts, isCertainlyFile, isManifest } from "./find-facts.ts";
import { DriveKey, NotEncrypted } from "./not-shared.tsx";
import { PeoplePanel } from "./people-panel.tsx";
import { PreviewPanel } from "./preview-panel.tsx";
import { ProofPanel } from "./proof-panel.tsx";
import { useOpenedFile } from "./use-opened-file.ts";
import { useOrigin } from "./use-origin.ts";
import { usePlace } from "./use-place.ts";
import { useSaveFile } from "./use-save-file.ts";
import { VersionsPanel } from "./versions-panel.tsx";

/** One file, of this account or another: preview, access, rules and storage proof. */
export function FileScreen({
  cid,
  tab,
  within,
  name,
}: {
  cid: string;
  tab: FileTab;
  /** Where it was found in a folder; see `FileRoute`. */
  within?: string | undefined;
  /** What the link says that it is called. */
  name?: string | undefined;
}) {
  const { file: texts, preview } = useMessages();
  const kit = useKit();
  const { address: me } = useSession();
  const { files, drive } = useAccountData();
  const load = useCallback(
    (signal: AbortSignal) => findFacts(kit, cid, within ?? name, signal),
    [kit, cid, within, name],
  );
  const facts = useQuery(load);
  const isFolder = facts.value === "folder";
  useEffect(() => {
    if (isFolder) replaceRoute({ screen: "folder", cid, path: "" });
  }, [isFolder, cid]);
  const own = files.files.find((file) => file.cid === cid);
  const listed = own && isCertainlyFile(own) && !isManifest(own) ? toFileFacts(own) : undefined;
  const stored = facts.value === "folder" ? undefined : facts.value;
  // The network does not know the names that the drive has.
  const entry = drive.files.get(cid);
  const isPublic = (own ?? stored)?.encryption === false;
  const named = useMemo(() => entry && toEntryFacts(entry, isPublic), [entry, isPublic]);
  const isUnknown = drive.status === "loading" && name === undefined && within === undefined;
  const fallback = isUnknown || isFolder ? undefined : (stored ?? (within === undefined ? listed : undefined));
  const found = named ?? fallback;
  const isEncrypted = found?.encryption;
  // Whatever the network calls it.
  const isDriveKey = drive.drive?.isKey(cid) === true;
  const loadAccess = useCallback(
    async (signal: AbortSignal) => (isEncrypted ? kit.kavachGetAccessConditions(cid, { signal }) : undefined),
    [kit, cid, isEncrypted],
  );
  const access = useQuery(loadAccess);
  const { reload } = access;
  const hasLists = tab === "people" || tab === "conditions";
  // The owner may have changed them since the file was opened.
  useEffect(() => {
    if (hasLists) reload();
  }, [hasLists, reload]);
  const isOwner = access.value ? access.value.owner.toLowerCase() === me : own !== undefined;
  const fileLinks = useFileLinks(cid);
  const people = access.value?.sharedTo.filter((address) => !fileLinks.isLink(address));
  useRecordSharing(cid, isOwner && fileLinks.isKnown ? people : undefined);
  const place = usePlace(cid, within, own);
  const isRenamed = within !== undefined && isOwner && !place.isOwn && (own !== undefined || files.status === "ready");
  const info = useMemo(() => (found && isRenamed ? toOwnFacts(found, cid, own) : found), [found, isRenamed, cid, own]);
  const opened = useOpenedFile(cid, info, place.knownKey);
  const saving = useSaveFile(cid, info, opened, place.knownKey);
  const isOthers = access.value ? access.value.owner.toLowerCase() !== me : files.status === "ready" && !own;
  // Of a folder, what is remembered is the folder.
  const isKnown = info && isOthers && within === undefined && (access.value !== undefined || isEncrypted === false);
  useRememberShared(isKnown ? toSharedItem(cid, info, access.value?.owner) : undefined);
  const origin = useOrigin(useIsOthers(within?.split("/")[0] ?? cid));
  const back = (
    <a className="back-link" href={origin.href} onClick={origin.onClick}>
      <Icon name="back" size={18} />
      {origin.label}
    </a>
  );
  // Until the name is known there is only a heading, so that the layout does not shift.
  if (!info && (isFolder || isUnknown || facts.status === "loading")) return <Screen title={"\u00a0"} back={back} />;

  const owner = access.value?.owner ?? (isEncrypted && access.status === "loading" ? undefined : null);
  const title = info ? (info.fileName === cid ? shorten(cid) : toSafeName(info.fileName)) : texts.untitled;
  return (
    <Screen
      title={title}
      back={back}
      lead={
        <p className="file-id">
          <span className="mono">{cid}</span>
          <CopyButton text={cid} what={texts.cid} />
        </p>
      }
      actions={
        info && (
          <FileActions
            cid={cid}
            info={info}
            own={isDriveKey ? undefined : own}
            within={within}
            name={name}
            isOwner={isOwner && !isDriveKey}
            opened={opened}
            saving={saving}
          />
        )
      }
    >
      {info && (
        <FileHead
          cid={cid}
          info={info}
          addedAt={own?.createdAt ?? undefined}
          owner={owner}
          isOwner={isOwner}
          isOpened={opened.state.status === "done" || opened.isPlaying}
        />
      )}
      {saving.state.status === "failed" && (
        <ErrorNote error={saving.state.error} retry={saving.save}>
          {isRefusal(saving.state.error) && <AskAccess cid={cid} />}
        </ErrorNote>
      )}
      {!info && facts.status === "failed" && <ErrorNote error={facts.error} retry={facts.reload} />}
      <FileTabs cid={cid} tab={tab} within={within} name={name} isPublic={isEncrypted === false} />
      {/* Stays, so that what is open is not decrypted again. */}
      {info && (
        <div hidden={tab !== "preview"}>
          <h2 className="visually-hidden">{preview.title}</h2>
          <ErrorBoundary>
            <PreviewPanel
              key={String(isEncrypted)}
              info={info}
              cid={cid}
              opened={opened}
              knownKey={place.knownKey}
              whenRefused={<AskAccess cid={cid} />}
            />
          </ErrorBoundary>
        </div>
      )}
      <ErrorBoundary key={tab}>
        {tab === "preview" && entry && <VersionsPanel entry={entry} />}
        {hasLists && isEncrypted === false && <NotEncrypted cid={cid} />}
        {hasLists && isEncrypted !== false && isDriveKey && <DriveKey />}
        {tab === "people" && isEncrypted !== false && !isDriveKey && (
          <PeoplePanel target={{ cid, info, knownKey: place.knownKey }} access={access} fileLinks={fileLinks} />
        )}
        {tab === "conditions" && isEncrypted !== false && !isDriveKey && <ConditionsPanel cid={cid} access={access} />}
        {tab === "proof" && <ProofPanel cid={cid} />}
      </ErrorBoundary>
    </Screen>
  );
}
