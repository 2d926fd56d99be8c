import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Screen } from "../ui/screen.tsx";

/** The account's own request, which somebody else has to open. */
export function OwnRequest({ cid }: { cid: string }) {
  const { requests } = useMessages();
  return (
    <Screen title={requests.ownTitle} lead={<p>{requests.ownHint}</p>}>
      <section className="card stack">
        <p>
          <a href={toHref({ screen: "file", cid, tab: "preview" })}>{requests.showFile}</a>
        </p>
        <div>
          <CopyButton text={location.href} what={requests.link} label={requests.copyLink} />
        </div>
      </section>
    </Screen>
  );
}
