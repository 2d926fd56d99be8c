import { Icon, type IconName } from "../ui/icon.tsx";

/** A link that looks like a button; without `href` it is one that is disabled. */
export function ActionLink({ icon, href, children }: { icon: IconName; href: string | undefined; children: string }) {
  const content = (
    <>
      <Icon name={icon} size={18} />
      <span>{children}</span>
    </>
  );
  if (href === undefined) {
    return (
      <button type="button" className="button button-secondary" disabled>
        {content}
      </button>
    );
  }
  return (
    <a className="button button-secondary" href={href}>
      {content}
    </a>
  );
}
