// A call that failed without saying whether it was carried out, and what a screen shows then: "not changed" may be untrue.
// Nothing about screens may enter here.
import { messageOf, Problem } from "./problem";

export interface Failure {
  title: string;
  message: string;
}

/** Whether the server may have done it all the same. */
export const isUnknown = (error: unknown) =>
  !(error instanceof Problem) || error.status === 0 || error.status === 408 || error.status >= 500;

/** What to show of a failed call: that it was refused, under `title`, or that its outcome is not known. */
export function failureOf(error: unknown, title: string, unknown: Failure, otherwise?: string): Failure {
  return isUnknown(error) ? unknown : { title, message: messageOf(error, otherwise) };
}
