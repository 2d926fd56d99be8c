import { useKit } from "@keeplight/react";
import type { IpnsRecord } from "keeplight";
import { type FormEvent, useId, useState } from "react";
import { formatTime, shorten } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { FileName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";
import { useToast } from "../ui/toasts.tsx";
import { useAction } from "../ui/use-action.ts";
import { FileField } from "./file-field.tsx";
import { MAX_LABEL, useNameLabel } from "./name-labels.ts";
import { QrDialog } from "./qr-dialog.tsx";

/** A name, the file it points to, and forms to label it and to publish another file. */
export function NameCard({ record, onChange }: { record: IpnsRecord; onChange: () => void }) {
  const { ipnsName, ipnsId, cid, lastUpdate } = record;
  const { names: texts, ui } = useMessages();
  const kit = useKit();
  const toast = useToast();
  const { network } = useSession();
  const { groups } = useAccountData();
  const files = groups.shown.filter(({ cid }) => !groups.partial.has(cid));
  const [label, setLabel] = useNameLabel(ipnsName);
  const [target, setTarget] = useState("");
  const [dialog, setDialog] = useState<"remove" | "qr">();
  const publishing = useAction();
  const removing = useAction();
  const id = useId();
  const link = `${network.endpoints.gateway}/ipns/${ipnsId}`;
  const title = label.trim() || shorten(ipnsId, 14, 8);

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
    if (await removing.run((signal) => kit.ipnsRemoveKey(ipnsName, { signal }))) {
      setLabel("");
      toast(texts.removed);
    }
    setDialog(undefined);
    onChange();
  };
  const failure = [publishing, removing].find(({ status }) => status === "failed")?.error;

  return (
    <li className="card name-card">
      <header>
        <h2 className={label.trim() === "" ? "mono" : undefined}>
          <FileName>{title}</FileName>
        </h2>
        <span className="name-actions">
          <IconButton icon="qr" label={texts.showQr(title)} onClick={() => setDialog("qr")} />
          <CopyButton text={link} what={texts.linkOfName} />
          <a
            className="icon-button"
            href={link}
            target="_blank"
            rel="noreferrer"
            aria-label={ui.viewOnGateway}
            title={ui.viewOnGateway}
          >
            <Icon name="external" size={18} />
          </a>
          <IconButton icon="trash" label={texts.remove} onClick={() => setDialog("remove")} />
        </span>
      </header>
      <p className="name-id mono quiet">{ipnsId}</p>
      {cid ? (
        <p>
          {texts.pointsTo}{" "}
          <a href={toHref({ screen: "file", cid, tab: "preview" })}>
            <FileName>{files.find((file) => file.cid === cid)?.fileName ?? shorten(cid)}</FileName>
          </a>
          {lastUpdate ? <span className="quiet">{texts.since(formatTime(lastUpdate))}</span> : null}
        </p>
      ) : (
        <p className="quiet">{texts.notPublished}</p>
      )}
      <div className="name-forms">
        <div>
          <label htmlFor={id} className="visually-hidden">
            {texts.label}
          </label>
          <input
            id={id}
            placeholder={texts.labelHint}
            maxLength={MAX_LABEL}
            autoComplete="off"
            value={label}
            onChange={({ target: field }) => setLabel(field.value)}
          />
        </div>
        <form className="inline-form" onSubmit={publish}>
          <FileField files={files} value={target} onChange={setTarget} />
          <Button type="submit" kind="primary" busy={publishing.status === "busy"}>
            {texts.publish}
          </Button>
        </form>
      </div>
      {failure !== undefined && <ErrorNote error={failure} />}
      {dialog === "qr" && <QrDialog title={title} link={link} onClose={() => setDialog(undefined)} />}
      {dialog === "remove" && (
        <ConfirmDialog
          title={texts.removeTitle}
          action={texts.deletePermanently}
          busy={removing.status === "busy"}
          onConfirm={remove}
          onCancel={() => setDialog(undefined)}
        >
          <p>{texts.removeHint}</p>
        </ConfirmDialog>
      )}
    </li>
  );
}
