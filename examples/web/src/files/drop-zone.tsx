import { type DragEvent, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { type Privacy, useAppUploads } from "../uploads/uploads-provider.tsx";
import { droppedFiles, sourcesOf } from "./dropped-files.ts";

const privacies = [
  { value: "encrypted", words: "Encrypted", icon: "lock" },
  { value: "public", words: "Public", icon: "globe" },
] as const;

/** Where files come in: dropped, or picked with two buttons. */
export function DropZone() {
  const { start } = useAppUploads();
  const [privacy, setPrivacy] = useState<Privacy>("encrypted");
  const [over, setOver] = useState(false);
  const filePicker = useRef<HTMLInputElement>(null);
  const folderPicker = useRef<HTMLInputElement>(null);

  const add = (files: readonly File[]) => {
    if (files.length > 0) start(sourcesOf(files, privacy === "public"), privacy);
  };
  const onDrop = async (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    add(await droppedFiles(event.dataTransfer));
  };
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const pickFolder = () => {
    if (!folderPicker.current) return;
    folderPicker.current.webkitdirectory = true;
    folderPicker.current.click();
  };
  const picked = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    add(Array.from(currentTarget.files ?? []));
    // The same file may be picked again.
    currentTarget.value = "";
  };

  return (
    <section
      className={over ? "drop-zone drop-zone-over" : "drop-zone"}
      aria-label="Add files"
      onDrop={onDrop}
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
    >
      <span className="drop-icon">
        <Icon name="upload" size={28} />
      </span>
      <div className="drop-words">
        <p className="drop-title">Drop files or folders here</p>
        <p className="quiet">
          {privacy === "encrypted"
            ? "Encrypted on this machine. Only you, and those you share with, can open them."
            : "Stored as they are. Anyone who knows the content id can read them."}
        </p>
      </div>
      <div className="drop-actions">
        <Segmented label="How to store them" value={privacy} choices={privacies} onChoose={setPrivacy} />
        <Button kind="primary" icon="plus" onClick={() => filePicker.current?.click()}>
          Add files
        </Button>
        <Button icon="folder" onClick={pickFolder}>
          Add a folder
        </Button>
      </div>
      <input ref={filePicker} type="file" multiple hidden onChange={picked} />
      <input ref={folderPicker} type="file" hidden onChange={picked} />
    </section>
  );
}
