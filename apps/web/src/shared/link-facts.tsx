import { Fact } from "../file/fact.tsx";
import { type FileFacts, formatSize } from "../file/file-facts.ts";
import { formatTime } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { Icon } from "../ui/icon.tsx";
import type { LinkedFile } from "./open-received-link.ts";

/** What is known of the file of a link, and what of it the link proves: a link with the key proves no name. */
export function LinkFacts({ file, info }: { file: LinkedFile; info: FileFacts }) {
  const { shared, file: texts } = useMessages();
  const { signer, endsAt } = file;
  return (
    <dl className="file-facts">
      <Fact name={texts.kind}>{texts.kinds[info.viewer]}</Fact>
      <Fact name={texts.size}>
        <span className="numbers">{formatSize(info)}</span>
      </Fact>
      <Fact name={shared.name}>{signer ? <Verified /> : <span className="quiet">{shared.unprovenName}</span>}</Fact>
      {!signer && (
        <Fact name={shared.key}>
          <Verified />
        </Fact>
      )}
      {signer && <Fact name={shared.ends}>{endsAt === undefined ? shared.noEnd : formatTime(endsAt)}</Fact>}
    </dl>
  );
}

function Verified() {
  const { shared } = useMessages();
  return (
    <span className="badge badge-good">
      <Icon name="check" size={14} />
      {shared.verified}
    </span>
  );
}
