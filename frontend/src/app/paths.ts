// Every address of the panel, written once.

export const paths = {
  home: "/",
  signIn: "/login",
  users: "/users",
  visitHistory: "/visit-history",
  issues: "/issues",
  creditsHistory: "/credits-history",
  settings: "/settings/general",
  changePassword: "/settings/change-password",
  contents: (kind: string) => `/content/${kind}`,
  newContent: (kind: string) => `/content/${kind}/create`,
  content: (kind: string, id: number | string) => `/content/${kind}/${id}`,
  editContent: (kind: string, id: number | string) => `/content/${kind}/${id}/edit`,
} as const;
