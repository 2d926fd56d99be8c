import { useKit } from "keeplight/react";
import { useCallback } from "react";
import { formatBytes } from "../messages/format.ts";
import { type FileTab, fileTabs, toHref } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Screen } from "../ui/screen.tsx";
import { useQuery } from "../ui/use-query.ts";
import { ConditionsPanel } from "./conditions-panel.tsx";
import { readFileFacts, toFileFacts } from "./file-facts.ts";
import { PeoplePanel } from "./people-panel.tsx";
import { PreviewPanel } from "./preview-panel.tsx";
import { ProofPanel } from "./proof-panel.tsx";

const tabs: Record<FileTab, { label: string; icon: IconName }> = {
  preview: { label: "Preview", icon: "image" },
  people: { label: "People", icon: "people" },
  conditions: { label: "Conditions", icon: "shield" },
  proof: { label: "Proof", icon: "check" },
};

/** One file, of this account or another: preview, access, rules and storage proof. */
export function FileScreen({ cid, tab }: { cid: string; tab: FileTab }) {
  const kit = useKit();
  const { network } = useSession();
  const load = useCallback((signal: AbortSignal) => readFileFacts(kit, cid, signal), [kit, cid]);
  const facts = useQuery(load);
  const { files } = useAccountData();
  const ownFile = files.files.find((file) => file.cid === cid);
  const info = facts.value ?? (ownFile && toFileFacts(ownFile));
  // Until the name is known there is only a heading, so that the layout does not shift.
  if (!info && facts.status === "loading") return <Screen title={"\u00a0"} />;
  const shown = fileTabs.filter((name) => info?.encryption !== false || name === "preview" || name === "proof");
  return (
    <Screen
      title={info?.fileName ?? "File"}
      lead={
        <p className="file-facts">
          {info && (
            <>
              <span className={info.encryption ? "badge badge-private" : "badge"}>
                <Icon name={info.encryption ? "lock" : "globe"} size={14} />
                {info.encryption ? "Encrypted" : "Public"}
              </span>
              <span className="numbers">{formatBytes(info.size)}</span>
            </>
          )}
          <span className="mono file-cid-full">{cid}</span>
        </p>
      }
      actions={
        <>
          <CopyButton text={cid} what="CID" label="Copy CID" />
          <a
            className="button button-secondary"
            href={`${network.endpoints.gateway}/ipfs/${cid}`}
            target="_blank"
            rel="noreferrer"
          >
            <Icon name="link" size={18} />
            View on gateway
          </a>
        </>
      }
    >
      {!info && facts.status === "failed" && (
        <ErrorNote error={facts.error}>
          <Button icon="retry" onClick={facts.reload}>
            Try again
          </Button>
        </ErrorNote>
      )}
      <nav className="tabs" aria-label="About this file">
        {shown.map((name) => (
          <a
            key={name}
            href={toHref({ screen: "file", cid, tab: name })}
            aria-current={name === tab ? "page" : undefined}
          >
            <Icon name={tabs[name].icon} size={18} />
            {tabs[name].label}
          </a>
        ))}
      </nav>
      <ErrorBoundary key={tab}>
        {tab === "preview" && info && <PreviewPanel key={String(info.encryption)} info={info} cid={cid} />}
        {tab === "people" && <PeoplePanel cid={cid} />}
        {tab === "conditions" && <ConditionsPanel cid={cid} />}
        {tab === "proof" && <ProofPanel cid={cid} />}
      </ErrorBoundary>
    </Screen>
  );
}
