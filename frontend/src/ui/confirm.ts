// Confirmation before an action that cannot be undone. Any module may request it; the shell shows the dialog.

export interface Question {
  title: string;
  /** What exactly will happen, to what. */
  consequence: string;
  /** What the button does, as a verb. */
  verb: string;
  cancel?: string;
  /** Nothing is lost by going ahead: the button is not red. */
  isSafe?: boolean;
}

export interface PendingQuestion extends Question {
  answer: (goesAhead: boolean) => void;
}

let show: (question: PendingQuestion) => void = (question) => question.answer(false);

/** The one listener shows the questions: the panel's shell. */
export function onQuestion(listener: typeof show): void {
  show = listener;
}

/** Resolves to whether the user confirmed. Escape and the close button cancel. */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((answer) => show({ ...question, answer }));
}
