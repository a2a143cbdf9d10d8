// Asks before something that cannot be taken back. Anybody may ask; the shell shows the dialog (Confirmations).

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

export interface Asked extends Question {
  answer: (goesAhead: boolean) => void;
}

let ask: (asked: Asked) => void = (asked) => asked.answer(false);

/** The one place that shows questions: the frame of the panel. */
export function onQuestion(listener: typeof ask): void {
  ask = listener;
}

/** Answers whether the person went ahead. Escape and the cross mean no. */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((answer) => ask({ ...question, answer }));
}
