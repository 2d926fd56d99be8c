import { useMessages } from "../messages/language.ts";
import { toHref } from "../routes.ts";
import { FileName } from "../ui/file-name.tsx";
import { useDropTarget } from "./drag.ts";

/** The folders above the current one; rows can be dropped on them. */
export function FolderPath({ path }: { path: string }) {
  const { folder: texts, files } = useMessages();
  const names = path.split("/").slice(0, -1);
  return (
    <nav className="breadcrumbs" aria-label={texts.places}>
      <ol>
        <Place path="" name={files.title} />
        {names.map((name, depth) => {
          const place = names.slice(0, depth + 1).join("/");
          return <Place key={place} path={place} name={name} />;
        })}
      </ol>
    </nav>
  );
}

function Place({ path, name }: { path: string; name: string }) {
  const target = useDropTarget(path);
  return (
    <li {...target}>
      <a href={toHref({ screen: "files", folder: path })}>
        <FileName>{name}</FileName>
      </a>
    </li>
  );
}
