import type { IpnsRecord } from "keeplight";
import { useKit } from "keeplight/react";
import { type FormEvent, useId, useState } from "react";
import { formatTime, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon } from "../ui/icon.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";

/** A name, the file it points to, and a form to publish another one. */
export function NameCard({ record, onChange }: { record: IpnsRecord; onChange: () => void }) {
  const { ipnsName, ipnsId, cid, lastUpdate } = record;
  const kit = useKit();
  const { names: texts, ui } = useMessages();
  const toast = useToast();
  const { network } = useSession();
  const { files } = useAccountData();
  const [target, setTarget] = useState("");
  const [confirming, setConfirming] = useState(false);
  const publishing = useAction();
  const removing = useAction();
  const listId = useId();
  const fieldId = useId();
  const known = files.files;
  const current = known.find((file) => file.cid === cid);

  const publish = async (event: FormEvent) => {
    event.preventDefault();
    const published = target.trim();
    if (await publishing.run((signal) => kit.ipnsPublishRecord({ cid: published, keyName: ipnsName, signal }))) {
      setTarget("");
      toast(texts.published);
    }
    onChange();
  };
  const remove = async () => {
    if (await removing.run((signal) => kit.ipnsRemoveKey(ipnsName, { signal }))) toast(texts.removed);
    onChange();
  };
  const failure = [publishing, removing].find(({ status }) => status === "failed")?.error;

  return (
    <li className="card name-card">
      <header>
        <h2 className="mono" title={ipnsId}>
          {shorten(ipnsId, 14, 8)}
        </h2>
        <span className="name-actions">
          {confirming ? (
            <span className="confirm">
              <Button kind="danger" busy={removing.status === "busy"} onClick={remove}>
                {texts.deletePermanently}
              </Button>
              <Button kind="quiet" onClick={() => setConfirming(false)}>
                {ui.cancel}
              </Button>
            </span>
          ) : (
            <IconButton icon="trash" label={texts.remove} onClick={() => setConfirming(true)} />
          )}
          <CopyButton text={`${network.endpoints.gateway}/ipns/${ipnsId}`} what={texts.linkOfName} />
          <a
            className="icon-button"
            href={`${network.endpoints.gateway}/ipns/${ipnsId}`}
            target="_blank"
            rel="noreferrer"
            aria-label={ui.viewOnGateway}
            title={ui.viewOnGateway}
          >
            <Icon name="link" size={18} />
          </a>
        </span>
      </header>
      {cid ? (
        <p>
          {texts.pointsTo}{" "}
          <a href={toHref({ screen: "file", cid, tab: "preview" })}>{current?.fileName ?? shorten(cid)}</a>
          {lastUpdate ? <span className="quiet">{texts.since(formatTime(lastUpdate))}</span> : null}
        </p>
      ) : (
        <p className="quiet">{texts.notPublished}</p>
      )}
      <form className="inline-form" onSubmit={publish}>
        <label htmlFor={fieldId} className="visually-hidden">
          {texts.target}
        </label>
        <input
          id={fieldId}
          list={listId}
          required
          placeholder={texts.targetHint}
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
          {texts.publish}
        </Button>
      </form>
      {failure !== undefined && <ErrorNote error={failure} />}
    </li>
  );
}
