// Writes to a customer of the result of a renewal: the message says the new end.
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client";
import type { Sale } from "../../api/openSales";
import { messageOf } from "../../api/problem";
import type { components } from "../../api/schema.gen";
import { lazyPart } from "../../loading/lazyPart";
import { toast } from "../../ui/toast";

const MessageDialog = lazyPart(() => import("./MessageDialog"), { isDialog: true });

type User = components["schemas"]["User"];

export function WriteToSold({ sale: { username, fullName, expiration } }: { sale: Sale }) {
  const { t } = useTranslation();
  const [customer, setCustomer] = useState<User>();
  // An interrupted renewal has no phone number and no e-mail.
  const reading = useMutation({
    mutationFn: () => call("get", `/users/${encodeURIComponent(username)}`),
    onSuccess: (user) => setCustomer({ ...user, expirationDate: expiration ?? user.expirationDate }),
    onError: (problem) => toast.failure(t("renewals.messagesFailed"), messageOf(problem)),
  });
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={t("renewals.write", { name: fullName })}
        aria-disabled={reading.isPending}
        onClick={() => !reading.isPending && reading.mutate()}
      >
        {t("renewals.writeVerb")}
      </Button>
      <Suspense fallback={null}>
        {customer && <MessageDialog customers={[customer]} onClose={() => setCustomer(undefined)} />}
      </Suspense>
    </>
  );
}
