/** A module of its own for the script that runs before the program (firstScreen.ts). */
export const signInPath = "/login";
