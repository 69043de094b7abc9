/** The form of an entry of a tab: saved, it says so, shows the list anew and closes; refused, it stays. */
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { notify } from '@/lib/notify.ts';
import { type FieldErrors, useForm } from '@/lib/use-form.ts';
import { useEditing } from './use-editing.ts';

interface DeskForm<V> {
  initial: V;
  validate: (values: V) => FieldErrors<V>;
  save: (values: V) => Promise<unknown>;
  /** Said of a save. */
  done: string;
}

export function useDeskForm<V extends object>({ initial, validate, save, done }: DeskForm<V>) {
  const router = useRouter();
  const { close } = useEditing();
  const [saved, setSaved] = useState(false);
  const form = useForm<V>({
    initial,
    validate,
    submit: async (values) => {
      await save(values);
      setSaved(true);
      notify({ tone: 'ok', text: done });
      await router.invalidate();
      close();
    },
  });
  return { form, saved, close };
}
