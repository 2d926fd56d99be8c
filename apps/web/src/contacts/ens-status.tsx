import type { Contact } from "@keeplight/drive";
import type { EnsResult } from "../ens/look-up-ens.ts";
import { useMessages } from "../messages/language.ts";
import { FileName } from "../ui/file-name.tsx";
import { Icon } from "../ui/icon.tsx";

/** The ENS name of a contact, and whether it still leads to its address. Nothing changes by itself. */
export function EnsStatus({
  contact: { ens = "", address },
  result,
  onReview,
}: {
  contact: Contact;
  /** Missing until it was looked up. */
  result: EnsResult | undefined;
  /** Shows both addresses. */
  onReview: () => void;
}) {
  const { ens: texts } = useMessages().contacts;
  const isElsewhere = result?.status === "found" && result.address !== address;
  return (
    <p className="contact-ens quiet">
      <FileName>{ens}</FileName>{" "}
      {isElsewhere ? (
        <span className="contact-ens-moved" role="status">
          <Icon name="warning" size={16} /> {texts.moved}{" "}
          <button type="button" className="link-button" aria-label={texts.reviewOf(ens)} onClick={onReview}>
            {texts.review}
          </button>
        </span>
      ) : (
        <span>{describe()}</span>
      )}
    </p>
  );

  function describe(): string {
    if (!result) return texts.checking;
    if (result.status === "found") return texts.same;
    return result.problem === "unset" ? texts.gone : texts.unchecked;
  }
}
