import { lazy, Suspense, useEffect, useRef } from "react";
import { ContactsScreen } from "../contacts/contacts-screen.tsx";
import { TrashScreen } from "../drive/trash-screen.tsx";
import { FileScreen } from "../file/file-screen.tsx";
import { FilesScreen } from "../files/files-screen.tsx";
import { defaultView } from "../files/files-view.ts";
import { FolderScreen } from "../folder/folder-screen.tsx";
import { useMessages } from "../messages/language.ts";
import { NamesScreen } from "../names/names-screen.tsx";
import { type Route, useRoute } from "../routes.ts";
import { useSession } from "../session/session.ts";
import { SettingsScreen } from "../settings/settings-screen.tsx";
import { KeepLink } from "../shared/keep-link.tsx";
import { LinkScreen } from "../shared/link-screen.tsx";
import { useReceivedLink } from "../shared/received-link.ts";
import { SharedScreen } from "../shared/shared-screen.tsx";
import { StorageScreen } from "../storage/storage-screen.tsx";
import { Brand } from "../ui/brand.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { UploadTray } from "../uploads/upload-tray.tsx";
import { AccountCard } from "./account-card.tsx";
import { keepFocus } from "./keep-focus.ts";
import { Navigation } from "./navigation.tsx";
import { OfflineBanner } from "./offline-banner.tsx";
import { UsageMeter } from "./usage-meter.tsx";
import { useRetryOnline } from "./use-retry-online.ts";
import { WalletNotice } from "./wallet-notice.tsx";

const RequestScreen = lazy(() =>
  import("../requests/request-screen.tsx").then((module) => ({ default: module.RequestScreen })),
);

/** The frame of every screen: a rail beside it in wide windows, bars above and below it in narrow ones. */
export function Shell() {
  const { shell } = useMessages();
  const route = useRoute();
  useRetryOnline();
  const link = useReceivedLink();
  const { network } = useSession();
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => (root.current ? keepFocus(root.current) : undefined), []);
  return (
    <div ref={root} className="shell">
      <button
        type="button"
        className="skip-link button button-primary"
        onClick={() => document.getElementById("main")?.focus()}
      >
        {shell.skip}
      </button>
      <header className="rail">
        <div className="rail-top">
          <Brand />
        </div>
        <Navigation route={route} isLink={link !== undefined} />
        <OfflineBanner />
        <WalletNotice />
        <UploadTray />
        <UsageMeter />
        <AccountCard />
      </header>
      <main id="main" tabIndex={-1}>
        <ErrorBoundary key={link ?? ("cid" in route ? route.cid : route.screen)}>
          {link === undefined ? (
            <CurrentScreen route={route} />
          ) : (
            <LinkScreen link={link} network={network} keep={<KeepLink link={link} />} />
          )}
        </ErrorBoundary>
      </main>
    </div>
  );
}

function CurrentScreen({ route }: { route: Route }) {
  switch (route.screen) {
    case "file":
      return <FileScreen key={route.cid} cid={route.cid} tab={route.tab} within={route.within} name={route.name} />;
    case "folder":
      return <FolderScreen key={`${route.cid}/${route.path}`} cid={route.cid} path={route.path} />;
    case "request":
      return (
        <Suspense fallback={<div aria-busy="true" />}>
          <RequestScreen fragment={route.fragment} />
        </Suspense>
      );
    case "trash":
      return <TrashScreen />;
    case "shared":
      return <SharedScreen />;
    case "contacts":
      return <ContactsScreen />;
    case "names":
      return <NamesScreen />;
    case "storage":
      return <StorageScreen />;
    case "settings":
      return <SettingsScreen />;
    case "files":
      return <FilesScreen key={route.folder} folder={route.folder ?? ""} view={route.view ?? defaultView} />;
  }
}
