// The panel's frame is a separate download; the sign-in screen fetches it ahead of need.
export const loadShell = () => import("./layout/Shell");
