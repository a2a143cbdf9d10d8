// A question with its consequence: the verb on the button, the focus on the safe choice.
import { Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { PendingQuestion } from "./confirm";
import { Dialog } from "./Dialog";

export default function ConfirmDialog({
  question,
  onDone,
}: {
  question: PendingQuestion;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const done = (goesAhead: boolean) => {
    question.answer(goesAhead);
    onDone();
  };
  return (
    <Dialog title={question.title} onClose={() => done(false)}>
      <Text size="sm" className="confirm-text">
        {question.consequence}
      </Text>
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" data-autofocus onClick={() => done(false)}>
          {question.cancel ?? t("common.cancel")}
        </Button>
        <Button color={question.isSafe ? undefined : "red"} onClick={() => done(true)}>
          {question.verb}
        </Button>
      </Group>
    </Dialog>
  );
}
