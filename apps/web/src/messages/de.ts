import { connect } from "./de/connect.ts";
import { contacts } from "./de/contacts.ts";
import { details } from "./de/details.ts";
import { drive } from "./de/drive.ts";
import { errors } from "./de/errors.ts";
import { file } from "./de/file.ts";
import { files } from "./de/files.ts";
import { folder } from "./de/folder.ts";
import { keys } from "./de/keys.ts";
import { links } from "./de/links.ts";
import { names } from "./de/names.ts";
import { pay } from "./de/pay.ts";
import { people } from "./de/people.ts";
import { preview } from "./de/preview.ts";
import { proof } from "./de/proof.ts";
import { requests } from "./de/requests.ts";
import { rules } from "./de/rules.ts";
import { session } from "./de/session.ts";
import { settings } from "./de/settings.ts";
import { shared } from "./de/shared.ts";
import { shell } from "./de/shell.ts";
import { storage } from "./de/storage.ts";
import { ui } from "./de/ui.ts";
import { uploads } from "./de/uploads.ts";
import type { Messages } from "./en.ts";

/** All texts of the app in German. Loaded when it is chosen. */
export const de: Messages = {
  ui,
  connect,
  contacts,
  shell,
  files,
  keys,
  details,
  drive,
  file,
  folder,
  preview,
  people,
  requests,
  rules,
  proof,
  session,
  settings,
  shared,
  links,
  names,
  storage,
  pay,
  uploads,
  errors,
};
