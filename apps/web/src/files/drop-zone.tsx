import type { Source } from "keeplight";
import { useRef, useState } from "react";
import { ReplaceDialog } from "../drive/replace-dialog.tsx";
import { listTaken, renameTaken } from "../drive/taken-names.ts";
import { formatBytes } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { Button } from "../ui/button.tsx";
import { toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { SegmentedControl } from "../ui/segmented-control.tsx";
import { useMedia } from "../ui/use-media.ts";
import { PayForUpload } from "../uploads/pay-for-upload.tsx";
import { canPickFiles, pickFiles, readDroppedHandles } from "../uploads/pick-files.ts";
import { type Privacy, useAppUploads } from "../uploads/uploads-provider.tsx";
import { type DroppedSource, readDroppedSources, sumSizes, toSources } from "./dropped-files.ts";
import { getRoomLeft, StorageChoice, type StorageChoiceName } from "./storage-choice.tsx";
import { useFileDrop } from "./use-file-drop.ts";

/** Names of what was dropped that is not added. */
const nothingRefused: Record<"empty" | "unreadable", readonly string[]> = { empty: [], unreadable: [] };

type HandleOf = (file: File) => FileSystemFileHandle | undefined;

/** What was added, and is not started yet, as names are taken. */
interface Asking {
  sources: readonly DroppedSource[];
  taken: readonly File[];
  handleOf: HandleOf | undefined;
}

/** Adds files to a folder by drag and drop, anywhere in the window, or by two buttons. Public ones have no folder. */
export function DropZone({ folder }: { folder: string }) {
  const { files: texts } = useMessages();
  const hasTouch = useMedia("(hover: none)");
  const { start } = useAppUploads();
  const [chosen, setPrivacy] = useState<Privacy>("encrypted");
  // Folders of one's own are those of the drive, which encrypts.
  const privacy = folder === "" ? chosen : "encrypted";
  const { balance, drive } = useAccountData();
  const usage = balance.data;
  const [storage, setStorage] = useState<StorageChoiceName>("");
  const [tooLarge, setTooLarge] = useState<{ size: number; left: number; only?: File | undefined }>();
  const [{ empty, unreadable }, setRefused] = useState(nothingRefused);
  /** One drop may be read while what another has asked is not answered. */
  const [[asking], setAsking] = useState<readonly Asking[]>([]);
  const filePicker = useRef<HTMLInputElement>(null);
  const folderPicker = useRef<HTMLInputElement>(null);

  const askNext = () => setAsking(([, ...others]) => others);
  const startAll = (sources: readonly DroppedSource[], handleOf: HandleOf | undefined) => {
    const ofFile = (source: Source) => (source instanceof File ? handleOf?.(source) : undefined);
    start(sources, { privacy, folder, handleOf: ofFile, ...(storage !== "" && { choices: { storage } }) });
  };
  const keepBoth = ({ sources, taken, handleOf }: Asking) => {
    const renamed = renameTaken(drive.drive, folder, sources, taken);
    const originals = new Map([...renamed].map(([source, file]) => [file, source as File]));
    startAll(
      sources.map((source) => renamed.get(source) ?? source),
      (file) => handleOf?.(originals.get(file) ?? file),
    );
  };
  const add = async (sources: readonly DroppedSource[], handleOf?: HandleOf) => {
    const size = await sumSizes(sources.flat());
    setRefused(nothingRefused);
    const left = getRoomLeft(usage, storage);
    const [only, ...others] = sources;
    const payable = only instanceof File && others.length === 0 ? only : undefined;
    // Said before anything is sent: the network would refuse the last byte.
    setTooLarge(size > left ? { size, left, only: payable } : undefined);
    if (sources.length === 0 || size > left) return;
    const taken = privacy === "encrypted" ? listTaken(drive.drive, folder, sources) : [];
    if (taken.length > 0) setAsking((before) => [...before, { sources, taken, handleOf }]);
    else startAll(sources, handleOf);
  };
  const receive = async (transfer: DataTransfer) => {
    const [{ sources, ...refused }, handles] = await Promise.all([
      readDroppedSources(transfer),
      readDroppedHandles(transfer.items),
    ]);
    await add(sources, ({ name, webkitRelativePath }) => (webkitRelativePath ? undefined : handles.get(name)));
    setRefused({ empty: refused.empty.map(toSafeName), unreadable: refused.unreadable.map(toSafeName) });
  };
  const isOver = useFileDrop((transfer) => void receive(transfer));
  const addFiles = async () => {
    if (!canPickFiles()) return filePicker.current?.click();
    const { picked, unreadable: refused } = await pickFiles();
    await add(
      picked.map(({ file }) => file),
      (file) => picked.find((one) => one.file === file)?.handle,
    );
    setRefused({ empty: [], unreadable: refused.map(toSafeName) });
  };
  const pickFolder = () => {
    if (!folderPicker.current) return;
    folderPicker.current.webkitdirectory = true;
    folderPicker.current.click();
  };
  const onPick = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    void add(toSources(Array.from(currentTarget.files ?? [])));
    // So that the same file can be picked again.
    currentTarget.value = "";
  };

  return (
    <section className={isOver ? "drop-zone drop-zone-over" : "drop-zone"} aria-label={texts.add}>
      <span className="drop-icon">
        <Icon name="upload" size={28} />
      </span>
      <div className="drop-text">
        <p className="drop-title">{hasTouch ? texts.dropTouch : texts.drop}</p>
        <p className="quiet">{privacy === "encrypted" ? texts.encryptedHint : texts.publicHint}</p>
      </div>
      <div className="drop-actions">
        {folder === "" && (
          <SegmentedControl
            label={texts.uploadAs}
            value={privacy}
            choices={[
              { value: "encrypted", label: texts.encrypted, icon: "lock" },
              { value: "public", label: texts.isPublic, icon: "globe" },
            ]}
            onChoose={setPrivacy}
          />
        )}
        <Button kind="primary" icon="plus" onClick={addFiles}>
          {texts.add}
        </Button>
        <Button icon="folder" onClick={pickFolder}>
          {texts.addFolder}
        </Button>
        <StorageChoice usage={usage} value={storage} onChoose={setStorage} />
      </div>
      {tooLarge && (
        <p className="drop-problem" role="alert">
          {texts.tooLarge(formatBytes(tooLarge.size), formatBytes(tooLarge.left))}{" "}
          <a href={toHref({ screen: "storage" })}>{texts.buyStorage}</a>
        </p>
      )}
      {tooLarge?.only && (
        <div className="drop-pay">
          <PayForUpload
            file={tooLarge.only}
            privacy={privacy}
            onPay={(payPerUpload) => {
              start(tooLarge.only ? [tooLarge.only] : [], { privacy, folder, choices: { payPerUpload } });
              setTooLarge(undefined);
            }}
          />
        </div>
      )}
      {empty.length > 0 && (
        <p className="drop-problem" role="alert">
          {texts.emptyFolders(empty)}
        </p>
      )}
      {unreadable.length > 0 && (
        <p className="drop-problem" role="alert">
          {texts.unreadable(unreadable)}
        </p>
      )}
      {asking && (
        <ReplaceDialog
          names={asking.taken.map(({ name }) => name)}
          onReplace={() => {
            startAll(asking.sources, asking.handleOf);
            askNext();
          }}
          onKeepBoth={() => {
            keepBoth(asking);
            askNext();
          }}
          onCancel={() => askNext()}
        />
      )}
      <input ref={filePicker} type="file" multiple hidden onChange={onPick} />
      <input ref={folderPicker} type="file" hidden onChange={onPick} />
    </section>
  );
}
