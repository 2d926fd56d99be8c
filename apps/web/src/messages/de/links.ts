import type { Messages } from "../en.ts";

export const links: Messages["links"] = {
  title: "Per Link teilen",
  lead: "Wer den Link hat, kann diese Datei ohne Wallet öffnen, bis er beendet wird.",
  endsAfter: "Endet nach",
  durations: { day: "1 Tag", week: "7 Tagen", month: "30 Tagen", never: "Ohne Enddatum" },
  password: "Passwort (optional)",
  strengths: {
    none: "Mit einem Passwort genügt der Link allein nicht, um die Datei zu öffnen.",
    short: "Mindestens 8 Zeichen sind nötig.",
    weak: "Für ein Programm leicht zu erraten. Besser sind mehrere Wörter mit mindestens 16 Zeichen.",
    good: "Schwer zu erraten, außer es ist ein bekannter Satz.",
  },
  create: "Link anlegen",
  created: "Der Link ist angelegt. Jetzt kopieren und an die Person schicken, die die Datei öffnen soll.",
  createdWithPassword:
    "Der Link ist angelegt. Das Passwort bitte auf einem anderen Weg mitteilen, zum Beispiel am Telefon. Es wird hier nicht aufbewahrt, also bitte notieren.",
  copyNew: "Neuen Link kopieren",
  link: (until) => `Link · ${until}`,
  linkTo: (name) => `Link zu ${name}`,
  ends: (time) => `endet am ${time}`,
  noEnd: "ohne Enddatum",
  over: (time) => `abgelaufen am ${time}, auf den Schlüsselknoten noch nicht beendet`,
  hasPassword: "Passwort",
  made: "Angelegt",
  end: "Link beenden",
  endOf: (name, until) => `Link zu ${name} beenden, ${until}`,
  endTitle: (name) => `Diesen Link zu ${name} beenden?`,
  endBody:
    "Danach öffnet er die Datei für niemanden mehr. Wer sie schon geöffnet hat, kennt sie weiterhin und hat sie vielleicht gespeichert.",
  ended: "Link beendet. Was geöffnet wurde, bleibt bei denen, die es geöffnet haben.",
  noJournal:
    "Dieser Browser bewahrt für diese Seite nichts auf, zum Beispiel in einem privaten Fenster. Links, die sich beenden lassen, kann er deshalb nicht anlegen.",
  noDrive:
    "Links, die sich beenden lassen, können gerade nicht angelegt werden: Die Liste der Links dieses Kontos ließ sich nicht öffnen.",
  ownTitle: "Angelegte Links",
  ownEmpty: "Noch keine. Anlegen lassen sie sich auf der Seite einer Datei unter „Personen“.",
};
