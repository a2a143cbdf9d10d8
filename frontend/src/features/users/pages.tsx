// The pages of users, each with its texts; forms and dialogs are loaded when opened.
import { useParams } from "react-router";
import { loadUserTexts } from "../../i18n";
import "./users.css";
import { lazyPart } from "../../loading/lazyPart";

/** A page and its texts, fetched in parallel. */
async function withTexts<Module>(module: Promise<Module>): Promise<Module> {
  return (await Promise.all([module, loadUserTexts()]))[0];
}

const UserList = lazyPart(async () => ({ default: (await withTexts(import("./UserList"))).UserList }));
const CreateUser = lazyPart(async () => ({ default: (await withTexts(import("./CreateUser"))).CreateUser }));
const EditUser = lazyPart(async () => ({ default: (await withTexts(import("./EditUser"))).EditUser }));

export function UsersPage() {
  return <UserList />;
}

export function CreateUserPage() {
  return <CreateUser />;
}

export function EditUserPage() {
  const { username = "" } = useParams();
  return <EditUser key={username} username={username} />;
}
