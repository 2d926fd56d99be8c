import { useState } from "react";
import { plural } from "../messages/format.ts";
import { useAccountData } from "../session/account-data.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Screen } from "../ui/screen.tsx";
import { DropZone } from "./drop-zone.tsx";
import { FileTable } from "./file-table.tsx";

export function FilesScreen() {
  const { files } = useAccountData();
  const { state } = files;
  const [search, setSearch] = useState("");
  const known = state.value;
  const shown = (known?.files ?? []).filter(({ fileName, cid }) =>
    `${fileName} ${cid}`.toLowerCase().includes(search.trim().toLowerCase()),
  );
  return (
    <Screen title="Files">
      <DropZone />
      <section className="card file-list" aria-labelledby="file-list-title" aria-busy={state.status === "loading"}>
        <header className="file-list-head">
          <h2 id="file-list-title">{known ? plural(known.totalFiles ?? known.files.length, "file") : "Your files"}</h2>
          <input
            type="search"
            aria-label="Search your files"
            placeholder="Search"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </header>
        {!known && state.status === "loading" && <Skeleton />}
        {known && known.files.length === 0 && (
          <Empty icon="files" title="No files yet">
            Drop a file above to get started.
          </Empty>
        )}
        {known && known.files.length > 0 && shown.length === 0 && (
          <Empty icon="files" title="No matching files">
            Try a different name or CID.
          </Empty>
        )}
        {shown.length > 0 && <FileTable files={shown} />}
        {state.status === "failed" && (
          <div className="file-list-failed">
            <ErrorNote error={state.error}>
              <Button icon="retry" onClick={files.reload}>
                Try again
              </Button>
            </ErrorNote>
          </div>
        )}
        {known?.hasMore && (
          <div className="file-list-more">
            <Button busy={state.status === "loading"} onClick={files.loadMore}>
              Load more
            </Button>
          </div>
        )}
      </section>
    </Screen>
  );
}

/** Placeholder for rows that are loading. */
function Skeleton() {
  return (
    <div className="skeleton" aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  );
}
