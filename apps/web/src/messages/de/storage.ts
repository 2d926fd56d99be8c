import type { Messages } from "../en.ts";

export const storage: Messages["storage"] = {
  title: "Speicher",
  used: "Belegter Speicher",
  ofLimit: (limit, percent) => `von ${limit} · ${percent} belegt`,
  rented:
    "Dateien bleiben, solange der Tarif läuft. Wann er endet und was dann mit ihnen geschieht, gibt das Netz nicht an. Von allem, was länger gebraucht wird, bitte eine Kopie aufbewahren.",
  images: "Bilder",
  media: "Video & Audio",
  documents: "Dokumente",
  other: "Andere",
  largest: "Größte Dateien",
};
