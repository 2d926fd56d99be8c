import { type ReactNode, useCallback, useState } from "react";
import { AppError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import type { AppNetwork } from "../network.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { Screen } from "../ui/screen.tsx";
import { useQuery } from "../ui/use-query.ts";
import { isOver, needsPassword } from "./link-fragment.ts";
import { LinkPassword } from "./link-password.tsx";
import { LinkedFilePage } from "./linked-file-page.tsx";
import { type LinkedFile, openReceivedLink } from "./open-received-link.ts";

interface LinkScreenProps {
  link: string;
  network: AppNetwork;
  /** Keeps the link, for somebody who is signed in. */
  keep?: ReactNode;
}

/** A file that somebody shared by a link. No account of the reader takes part. */
export function LinkScreen(props: LinkScreenProps) {
  const { link } = props;
  // Before a password is asked for.
  if (isOver(link, Date.now())) return <LinkFailed error={new AppError(({ shared }) => shared.over)} />;
  return needsPassword(link) ? <SealedLink key={link} {...props} /> : <PlainLink key={link} {...props} />;
}

function PlainLink({ link, network, keep }: LinkScreenProps) {
  const load = useCallback(() => openReceivedLink(link), [link]);
  const file = useQuery(load);
  if (file.status === "loading") return <Screen title={"\u00a0"} />;
  if (file.status === "failed") return <LinkFailed error={file.error} />;
  return <LinkedFilePage file={file.value} network={network} keep={keep} />;
}

function SealedLink({ link, network, keep }: LinkScreenProps) {
  const [file, setFile] = useState<LinkedFile>();
  const [error, setError] = useState<unknown>();
  if (error !== undefined) return <LinkFailed error={error} />;
  if (!file) return <LinkPassword link={link} onOpen={setFile} onFail={setError} />;
  return <LinkedFilePage file={file} network={network} keep={keep} />;
}

/** A link that nothing can be done with here. */
function LinkFailed({ error }: { error: unknown }) {
  const { shared } = useMessages();
  return (
    <Screen title={shared.cannotOpen}>
      <ErrorNote error={error} />
    </Screen>
  );
}
