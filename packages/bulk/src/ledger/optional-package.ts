import { KeeplightError } from "keeplight";

/** Loads a package that users install themselves; throws `UNSUPPORTED` with how to install it. */
export async function loadPackage<Package>(name: string, load: () => Promise<Package>): Promise<Package> {
  try {
    return await load();
  } catch (cause) {
    const message = `This requires a package that is not installed or does not load: npm install ${name}`;
    throw new KeeplightError("UNSUPPORTED", message, { cause });
  }
}
