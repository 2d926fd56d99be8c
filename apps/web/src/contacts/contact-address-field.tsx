import type { EnsLookup } from "../ens/use-ens-address.ts";
import { useMessages } from "../messages/language.ts";
import { TextField } from "../ui/field.tsx";
import { FileName } from "../ui/file-name.tsx";

/** Asks for the address of a new contact, or its ENS name, and shows all of the address that the name leads to. */
export function ContactAddressField({
  value,
  lookup,
  problem,
  onChange,
}: {
  value: string;
  lookup: EnsLookup;
  problem: string | undefined;
  onChange: (value: string) => void;
}) {
  const { contacts: texts } = useMessages();
  const failure = lookup.status === "failed" ? texts.ens.problems[lookup.problem] : undefined;
  return (
    <div className="contact-address-field">
      <TextField
        label={texts.address}
        placeholder={texts.addressExample}
        required
        value={value}
        problem={problem ?? failure}
        hint={<AddressHint lookup={lookup} />}
        onChange={({ target }) => onChange(target.value)}
      />
      <p className="visually-hidden" role="status">
        {lookup.status === "found" ? texts.ens.found(lookup.name, lookup.address) : failure}
      </p>
    </div>
  );
}

function AddressHint({ lookup }: { lookup: EnsLookup }) {
  const { contacts: texts } = useMessages();
  if (lookup.status === "looking") return texts.ens.looking;
  if (lookup.status !== "found") return texts.addressHint;
  return (
    <>
      <FileName>{lookup.name}</FileName> <span className="mono contact-whole">{lookup.address}</span>{" "}
      {texts.addressHint}
    </>
  );
}
