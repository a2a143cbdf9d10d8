/** A module of its own for the script that runs before the program (firstScreen.ts), and for the program itself. */
export const signInPath = "/login";
export const homePath = "/";
