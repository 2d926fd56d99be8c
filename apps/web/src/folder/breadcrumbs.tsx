import { useMessages } from "../messages/language.ts";
import { joinPath, toHref } from "../routes.ts";
import { useIsOthers } from "../session/use-is-others.ts";
import { FileName } from "../ui/file-name.tsx";

/** The folders above the current one. */
export function Breadcrumbs({ cid, root, path }: { cid: string; root: string; path: string }) {
  const { folder: texts, shell } = useMessages();
  const isOthers = useIsOthers(cid) === true;
  const names = path === "" ? [] : [root, ...path.split("/").slice(0, -1)];
  let below = "";
  return (
    <nav className="breadcrumbs" aria-label={texts.places}>
      <ol>
        <li>
          <a href={toHref({ screen: isOthers ? "shared" : "files" })}>{isOthers ? shell.shared : shell.files}</a>
        </li>
        {names.map((name, depth) => {
          if (depth > 0) below = joinPath(below, name);
          return (
            <li key={below}>
              <a href={toHref({ screen: "folder", cid, path: below })}>
                <FileName>{name}</FileName>
              </a>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
