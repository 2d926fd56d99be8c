import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { CopyButton } from "../ui/copy-button.tsx";

/** Copies the URL of a folder's page. It contains no secret. */
export function CopyFolderLink({ cid, path }: { cid: string; path: string }) {
  const { folder: texts } = useMessages();
  const { href } = new URL(toHref({ screen: "folder", cid, path }), location.href);
  return <CopyButton text={href} what={texts.link} label={texts.copyLink} />;
}
