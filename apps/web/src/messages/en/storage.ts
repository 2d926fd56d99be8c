/** Texts of the storage screen. */
export const storage = {
  title: "Storage",
  used: "Storage used",
  ofLimit: (limit: string, percent: string) => `of ${limit} · ${percent} used`,
  rented:
    "Files stay while your plan is active. The network doesn’t report when it ends, or what happens to your files then: keep another copy of what you need for longer.",
  images: "Images",
  media: "Video & audio",
  documents: "Documents",
  other: "Other",
  largest: "Largest files",
};
