// A question with its consequence: the verb on the button, the focus on the safe choice.
import { Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Asked } from "./confirm";
import { Dialog } from "./Dialog";

export default function ConfirmDialog({ asked, onDone }: { asked: Asked; onDone: () => void }) {
  const { t } = useTranslation();
  const done = (goesAhead: boolean) => {
    asked.answer(goesAhead);
    onDone();
  };
  return (
    <Dialog title={asked.title} onClose={() => done(false)}>
      <Text size="sm" className="confirm-text">
        {asked.consequence}
      </Text>
      <Group mt="lg" gap="sm" justify="flex-end">
        <Button variant="default" data-autofocus onClick={() => done(false)}>
          {asked.cancel ?? t("common.cancel")}
        </Button>
        <Button color={asked.isSafe ? undefined : "red"} onClick={() => done(true)}>
          {asked.verb}
        </Button>
      </Group>
    </Dialog>
  );
}
