/** Texts of the frame around every screen. */
export const shell = {
  skip: "Skip to content",
  screens: "Screens",
  files: "Files",
  shared: "Shared",
  names: "Names",
  storage: "Storage",
  settings: "Settings",
  address: "address",
  toLight: "Switch to light mode",
  toDark: "Switch to dark mode",
  offline: "You’re offline. Uploads continue when you’re back.",
  used: (used: string, limit: string) => `${used} of ${limit} used`,
};
