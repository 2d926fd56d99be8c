import { type UnfinishedOperation, useUnfinished } from "@keeplight/react";
import { isKeeplightError } from "keeplight";
import { useRef, useState } from "react";
import { explainError } from "../messages/explain-error.ts";
import { formatBytes } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { FileName, toSafeName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { canPickFiles, pickFiles } from "./pick-files.ts";
import { useAppUploads } from "./uploads-provider.tsx";
import { useResume } from "./use-resume.ts";
import { useResumed } from "./use-resumed.ts";

/** The files of earlier pages that were not started, however many there are: one choice continues them. */
export function QueuedRow({
  operations,
  started,
}: {
  operations: readonly UnfinishedOperation[];
  /** Uploads that were interrupted: a choice that has their files continues them, too. */
  started: readonly UnfinishedOperation[];
}) {
  const { uploads: text } = useMessages();
  const { discard } = useUnfinished();
  const resume = useResume();
  const { handles } = useAppUploads();
  const onResumed = useResumed();
  const input = useRef<HTMLInputElement>(null);
  /** What the files were looked for in, so far. */
  const [tried, setTried] = useState<"handles" | "choice">();
  const [isDiscarding, setDiscarding] = useState(false);
  const names = operations.flatMap((operation) => operation.names);
  const sizes = operations.flatMap((operation) => operation.sizes);
  const size = sizes.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  const isElsewhere = operations.some(({ worker }) => worker === "elsewhere");
  const isBusy = operations.some(({ state }) => state.status === "running" || state.status === "waiting");
  const errors = operations.flatMap(({ state }) => (state.status === "failed" ? [state.error] : []));
  const error = errors.find((each) => !isKeeplightError(each, "INVALID_SOURCE"));
  const needsChoice = tried !== undefined || errors.length > 0 || !canPickFiles();

  const start = async (source: readonly File[], from: typeof tried) => {
    for (const operation of operations) await resume(operation, { source: [...source] });
    setTried(from);
    const chosen = new Map(source.map((file) => [file.name, withoutFolder(file)]));
    for (const operation of started) {
      const files = operation.names.flatMap((each) => chosen.get(each) ?? []);
      if (files.length < operation.names.length) continue;
      const result = await resume(operation, { source: files });
      if (result) await onResumed([result]);
    }
  };
  const choose = async (what: "files" | "folder") => {
    if (input.current) input.current.webkitdirectory = what === "folder";
    if (what === "folder" || !canPickFiles()) return input.current?.click();
    const { picked } = await pickFiles();
    if (picked.length > 0)
      await start(
        picked.map(({ file }) => file),
        "choice",
      );
  };
  const discardAll = async () => {
    setDiscarding(false);
    for (const { id } of operations) await discard(id);
  };
  const [first = ""] = names;
  const name = toSafeName(names.length === 1 ? first : text.manyFiles(first, names.length - 1));
  const explained = error && explainError(error);
  return (
    <li className="upload upload-interrupted">
      <Icon name="file" size={18} />
      <div className="upload-text">
        <p className="upload-name">
          <FileName>{name}</FileName>
        </p>
        <p className="quiet">
          {isElsewhere
            ? text.otherTab
            : explained
              ? `${explained.title}. ${explained.advice}`
              : tried === "choice"
                ? text.queuedMissing(names.length)
                : `${text.queued(names.length)}${size > 0 ? ` · ${formatBytes(size)}` : ""}`}
        </p>
        {!isElsewhere && (
          <div className="upload-choices">
            {needsChoice ? (
              <>
                <Button icon="file" busy={isBusy} onClick={() => choose("files")}>
                  {text.chooseQueued(names.length)}
                </Button>
                {names.length > 1 && (
                  <Button icon="folder" busy={isBusy} onClick={() => choose("folder")}>
                    {text.chooseFolder}
                  </Button>
                )}
              </>
            ) : (
              <Button
                icon="retry"
                busy={isBusy}
                onClick={async () => start(await handles.read(names, sizes), "handles")}
                aria-label={text.resumeOf(name)}
              >
                {text.resume}
              </Button>
            )}
          </div>
        )}
      </div>
      {!isElsewhere && !isBusy && (
        <IconButton icon="trash" label={text.discardOf(name)} onClick={() => setDiscarding(true)} />
      )}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          const files = Array.from(currentTarget.files ?? []);
          currentTarget.value = "";
          if (files.length > 0) void start(files, "choice");
        }}
      />
      {isDiscarding && (
        <ConfirmDialog
          title={text.discardTitle(name)}
          action={text.discard}
          onConfirm={discardAll}
          onCancel={() => setDiscarding(false)}
        >
          <p>{text.discardQueued}</p>
        </ConfirmDialog>
      )}
    </li>
  );
}

/** As it was added, whatever folder it was chosen with. */
function withoutFolder(file: File): File {
  const { name, type, lastModified, webkitRelativePath } = file;
  return webkitRelativePath ? new File([file], name, { type, lastModified }) : file;
}
