import { useMemo } from "react";
import { AppError } from "../messages/explain-error.ts";
import { useMessages } from "../messages/language.ts";
import { useSession } from "../session/session.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { Screen } from "../ui/screen.tsx";
import { parseAccessRequest } from "./access-request.ts";
import { OwnRequest } from "./own-request.tsx";
import { RequestedAccess } from "./requested-access.tsx";

/**
 * What somebody asks for by a link. Anyone can write one: it says whose address is to have access, and to what; all that is
 * shown besides is from the account itself, and nothing is shared by opening it.
 *
 * @param fragment - of the page's URL
 */
export function RequestScreen({ fragment }: { fragment: string }) {
  const { requests } = useMessages();
  const { address: me } = useSession();
  const request = useMemo(() => parseAccessRequest(fragment), [fragment]);
  if (!request) {
    return (
      <Screen title={requests.title}>
        <ErrorNote error={new AppError((texts) => texts.requests.damaged)} />
      </Screen>
    );
  }
  if (request.from === me) return <OwnRequest cid={request.cid} />;
  return (
    <Screen title={requests.title} lead={<p>{requests.lead}</p>}>
      <RequestedAccess key={fragment} request={request} />
    </Screen>
  );
}
