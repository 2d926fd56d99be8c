import { useKit } from "keeplight/react";
import { useCallback } from "react";
import { type FileTab, fileTabs, hrefOf } from "../routes.ts";
import { useAccountData } from "../session/account-data.tsx";
import { useSession } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Screen } from "../ui/screen.tsx";
import { useAsked } from "../ui/use-asked.ts";
import { formatBytes } from "../words/format.ts";
import { ConditionsPanel } from "./conditions-panel.tsx";
import { factsOf, readFileFacts } from "./file-facts.ts";
import { PeoplePanel } from "./people-panel.tsx";
import { PreviewPanel } from "./preview-panel.tsx";
import { ProofPanel } from "./proof-panel.tsx";

const tabs: Record<FileTab, { words: string; icon: IconName }> = {
  preview: { words: "Preview", icon: "image" },
  people: { words: "People", icon: "people" },
  conditions: { words: "Conditions", icon: "shield" },
  proof: { words: "Proof", icon: "check" },
};

/** One file, one's own or somebody else's: what it is, who may open it, and that it is really stored. */
export function FileScreen({ cid, tab }: { cid: string; tab: FileTab }) {
  const kit = useKit();
  const { network } = useSession();
  const ask = useCallback((signal: AbortSignal) => readFileFacts(kit, cid, signal), [kit, cid]);
  const facts = useAsked(ask);
  const { files } = useAccountData();
  const own = files.state.value?.files.find((file) => file.cid === cid);
  const info = facts.value ?? (own && factsOf(own));
  // Before anything is known there is only a heading, so that nothing has to make room for its name.
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
          <CopyButton text={cid} what="content id" words="Copy id" />
          <a
            className="button button-secondary"
            href={`${network.endpoints.gateway}/ipfs/${cid}`}
            target="_blank"
            rel="noreferrer"
          >
            <Icon name="link" size={18} />
            Gateway
          </a>
        </>
      }
    >
      {!info && facts.status === "failed" && (
        <ErrorNote error={facts.error}>
          <Button icon="retry" onClick={facts.again}>
            Try again
          </Button>
        </ErrorNote>
      )}
      <nav className="tabs" aria-label="About this file">
        {shown.map((name) => (
          <a
            key={name}
            href={hrefOf({ screen: "file", cid, tab: name })}
            aria-current={name === tab ? "page" : undefined}
          >
            <Icon name={tabs[name].icon} size={18} />
            {tabs[name].words}
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
