// What the form of an item sends: a request about contents that no list needs.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Kind } from "../../access/kinds";
import { type Save, saveItem } from "../../api/resources";
import type { Stored } from "./contents";
import { contentKeys, forgetLists, unwrapped } from "./queries";

/** Creates or replaces; a replacement names the version that it was made from. */
export function useSaveContent<K extends Kind>(kind: K) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (save: Save<K>) => {
      const answer = await saveItem(kind, save);
      // Where there is an envelope, it also says in words what happened.
      const { message } = answer as { message?: string };
      return { saved: unwrapped<Stored<K>>(answer), message };
    },
    onSuccess: ({ saved }) => {
      client.setQueryData(contentKeys.one(kind, saved.id), saved);
      return forgetLists(client, kind);
    },
  });
}
