import { Icon, type IconName } from "../ui/icon.tsx";

/** A link that looks like a button; without `href` it is disabled. */
export function ActionLink({ icon, href, children }: { icon: IconName; href: string | undefined; children: string }) {
  const content = (
    <>
      <Icon name={icon} size={18} />
      <span>{children}</span>
    </>
  );
  if (href === undefined) {
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: it leads nowhere
      // biome-ignore lint/a11y/useSemanticElements: a link without an address is none
      <span role="link" aria-disabled="true" className="button button-secondary">
        {content}
      </span>
    );
  }
  return (
    <a className="button button-secondary" href={href}>
      {content}
    </a>
  );
}
