// How many files of browser tests run side by side, each worker on a server of its own.
export const workers = 4;
