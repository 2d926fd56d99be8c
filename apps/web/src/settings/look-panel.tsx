import { chooseLanguage, type Language, languages, useLanguage, useMessages } from "../messages/language.ts";
import { chooseTheme, themes, useTheme } from "../shell/theme.ts";
import { SegmentedControl } from "../ui/segmented-control.tsx";

/** The language, each by its own name for people who cannot read this one, and the theme. */
export function LookPanel() {
  const { settings } = useMessages();
  const language = useLanguage();
  const theme = useTheme();
  return (
    <section className="card settings-card" aria-labelledby="look-title">
      <h2 id="look-title">{settings.look}</h2>
      <div className="settings-choice">
        <span className="field-label" aria-hidden="true">
          {settings.language}
        </span>
        <SegmentedControl
          label={settings.language}
          value={language}
          choices={(Object.keys(languages) as Language[]).map((value) => ({
            value,
            label: languages[value],
            lang: value,
          }))}
          onChoose={(chosen) => void chooseLanguage(chosen)}
        />
      </div>
      <div className="settings-choice">
        <span className="field-label" aria-hidden="true">
          {settings.theme}
        </span>
        <SegmentedControl
          label={settings.theme}
          value={theme}
          choices={themes.map((value) => ({ value, label: settings.themes[value] }))}
          onChoose={chooseTheme}
        />
      </div>
    </section>
  );
}
