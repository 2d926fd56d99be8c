import type { IpnsRecord } from "keeplight";
import { useKit } from "keeplight/react";
import { type FormEvent, useId, useState } from "react";
import { hrefOf } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { formatTime, shorten } from "../words/format.ts";

/** One name: what it points to, and how to change that. */
export function NameCard({ record, changed }: { record: IpnsRecord; changed: () => void }) {
  const { ipnsName, ipnsId, cid, lastUpdate } = record;
  const kit = useKit();
  const toast = useToast();
  const { network } = useSession();
  const { files } = useAccountData();
  const [target, setTarget] = useState("");
  const [asking, setAsking] = useState(false);
  const publishing = useAction();
  const removing = useAction();
  const listId = useId();
  const fieldId = useId();
  const known = files.state.value?.files ?? [];
  const current = known.find((file) => file.cid === cid);

  const publish = async (event: FormEvent) => {
    event.preventDefault();
    const chosen = target.trim();
    if (await publishing.run((signal) => kit.ipnsPublishRecord({ cid: chosen, keyName: ipnsName, signal }))) {
      setTarget("");
      toast("Published");
    }
    changed();
  };
  const remove = async () => {
    if (await removing.run((signal) => kit.ipnsRemoveKey(ipnsName, { signal }))) toast("Removed the name");
    changed();
  };
  const failure = [publishing, removing].find(({ status }) => status === "failed")?.error;

  return (
    <li className="card name-card">
      <header>
        <h2 className="mono" title={ipnsId}>
          {shorten(ipnsId, 14, 8)}
        </h2>
        <span className="name-actions">
          {asking ? (
            <span className="confirm">
              <Button kind="danger" busy={removing.status === "busy"} onClick={remove}>
                Remove for good
              </Button>
              <Button kind="quiet" onClick={() => setAsking(false)}>
                Keep
              </Button>
            </span>
          ) : (
            <IconButton icon="trash" label="Remove this name" onClick={() => setAsking(true)} />
          )}
          <CopyButton text={`${network.endpoints.gateway}/ipns/${ipnsId}`} what="name’s link" />
          <a
            className="icon-button"
            href={`${network.endpoints.gateway}/ipns/${ipnsId}`}
            target="_blank"
            rel="noreferrer"
            aria-label="Open at the gateway"
            title="Open at the gateway"
          >
            <Icon name="link" size={18} />
          </a>
        </span>
      </header>
      {cid ? (
        <p>
          Points to <a href={hrefOf({ screen: "file", cid, tab: "preview" })}>{current?.fileName ?? shorten(cid)}</a>
          {lastUpdate ? <span className="quiet"> since {formatTime(lastUpdate)}</span> : null}
        </p>
      ) : (
        <p className="quiet">Points to nothing yet.</p>
      )}
      <form className="inline-form" onSubmit={publish}>
        <label htmlFor={fieldId} className="visually-hidden">
          File or content id to publish
        </label>
        <input
          id={fieldId}
          list={listId}
          required
          placeholder="Choose a file, or paste a content id"
          value={target}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTarget(event.target.value)}
        />
        <datalist id={listId}>
          {known.map((file) => (
            <option key={file.id} value={file.cid}>
              {file.fileName}
            </option>
          ))}
        </datalist>
        <Button type="submit" kind="primary" busy={publishing.status === "busy"}>
          Publish
        </Button>
      </form>
      {failure !== undefined && <ErrorNote error={failure} />}
    </li>
  );
}
