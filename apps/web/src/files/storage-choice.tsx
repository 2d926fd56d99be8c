import type { Usage } from "keeplight";
import { formatBytes } from "../messages/format.ts";
import { useMessages } from "../messages/language.ts";
import { SelectField } from "../ui/field.tsx";

/** A storage class; the empty one is the network's default. */
export type StorageChoiceName = "" | "annual" | "lifetime" | "walrus";

interface Room {
  name: Exclude<StorageChoiceName, "">;
  left: number;
}

/** Returns the classes that the account has a plan for, with their room in bytes. */
function listRooms(usage: Usage): Room[] {
  const { dataLimit, dataUsed, dataLimitPermanent, dataUsedPermanent, walrusDataLimit, walrusDataUsed } = usage;
  const toRoom = (name: Room["name"], limit: number | null = 0, used: number | null = 0) =>
    limit !== null && limit > 0 ? [{ name, left: Math.max(limit - (used ?? 0), 0) }] : [];
  return [
    ...toRoom("annual", dataLimit, dataUsed),
    ...toRoom("lifetime", dataLimitPermanent, dataUsedPermanent),
    ...toRoom("walrus", walrusDataLimit, walrusDataUsed),
  ];
}

/** Returns how many bytes a class has room for; of the default class what the plan has. */
export function getRoomLeft(usage: Usage | undefined, choice: StorageChoiceName): number {
  if (!usage) return Number.POSITIVE_INFINITY;
  const found = listRooms(usage).find(({ name }) => name === (choice || "annual"));
  return found?.left ?? 0;
}

/** Chooses the storage class of what is uploaded. Shown before the plans are known, so that nothing moves once they are. */
export function StorageChoice({
  usage,
  value,
  onChoose,
}: {
  usage: Usage | undefined;
  value: StorageChoiceName;
  onChoose: (choice: StorageChoiceName) => void;
}) {
  const { files: texts } = useMessages();
  const rooms = (usage ? listRooms(usage) : []).map(({ name, left }) => ({
    value: name,
    label: texts.storageLeft(texts.storageClasses[name], formatBytes(left)),
  }));
  return (
    <div className="drop-storage">
      <SelectField
        label={texts.storedIn}
        value={value}
        choices={[{ value: "", label: texts.storageDefault }, ...rooms]}
        onChoose={onChoose}
      />
    </div>
  );
}
