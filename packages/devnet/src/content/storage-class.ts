/** Storage classes with limits of their own. Uploads may name any other. */
export const limitedClasses = ["annual", "lifetime", "walrus"] as const;

export type LimitedClass = (typeof limitedClasses)[number];

/** Returns the class whose limit applies to files of a class: for those without a limit of their own, `annual`. */
export function getLimitedClass(storage: string): LimitedClass {
  return limitedClasses.find((limited) => limited === storage) ?? "annual";
}
