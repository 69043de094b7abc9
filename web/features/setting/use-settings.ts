/** The drafts of a panel's fields and the saving of a block: one call a changed key. */
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useConfirm } from '@/components/confirm.tsx';
import { leapsIn } from '@/features/prices/draft.ts';
import { leapQuestion } from '@/features/prices/leap-question.ts';
import { ApiError } from '@/lib/api-error.ts';
import { errorText } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import type { TextKey } from '@/lib/text-key.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { fieldError, inSavingOrder, type OptionField, savedTogether, sentValue } from './field.ts';

export interface Settings {
  text(field: OptionField): string;
  set(field: OptionField, text: string): void;
  /** Marks a field as left: from now on what is wrong with it is shown. */
  leave(field: OptionField): void;
  error(field: OptionField): string | undefined;
  changed(fields: readonly OptionField[]): OptionField[];
  /** Forgets the drafts of these fields. */
  undo(fields: readonly OptionField[]): void;
  save(fields: readonly OptionField[]): Promise<void>;
  /** Back to the default, at once: the way to empty a secret. */
  reset(field: OptionField): Promise<void>;
  /** The heading of the block that is being saved. */
  saving: string | null;
  dirty: boolean;
}

const without = <T>(record: Record<string, T>, keys: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

/** Numbers by which calls are charged. */
const isPriceTable = ({ kind, block }: OptionField): boolean =>
  kind === 'json' && (block === 'pricing' || block === 'groups');

interface Change {
  key: string;
  value: string | null;
}

/** What is refused until it is confirmed: how that is asked, and what is said of a change that was given up. */
const questions: Readonly<Record<string, { title: TextKey; action: TextKey; kept: TextKey } | undefined>> = {
  OPTION_GROUPS_USED: {
    title: 'setting.groupsUsedTitle',
    action: 'setting.groupsRemove',
    kept: 'setting.groupsKept',
  },
  OPTION_PASSKEYS_LEFT: {
    title: 'setting.passkeysLostTitle',
    action: 'setting.changeAddress',
    kept: 'setting.addressKept',
  },
};

export function useSettings(all: readonly OptionField[]): Settings {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const confirm = useConfirm();
  const [drafts, setDrafts] = useState<Record<string, string>>({});
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<Record<string, string>>({});
  const [saving, setSaving] = useState<string | null>(null);

  const text = (field: OptionField) => drafts[field.key] ?? field.value;
  const isChanged = (field: OptionField) => text(field) !== field.value;
  const changed = (fields: readonly OptionField[]) => fields.filter(isChanged);
  const wrong = (field: OptionField) => fieldError(field, text(field), t);

  /** Saves options in one call: all of them or none. */
  const put = async (change: Change, ...also: Change[]): Promise<string | null> => {
    const send = (more: object = {}) =>
      api.send('PUT', '/api/option/', { body: { ...change, ...(also.length > 0 && { also }), ...more } });
    try {
      await send();
      return null;
    } catch (error) {
      const question = error instanceof ApiError ? questions[error.code] : undefined;
      if (!question) return errorText(error, t);
      const isDone = await confirm({
        title: t(question.title),
        body: errorText(error, t),
        action: t(question.action),
        danger: true,
        work: async () => void (await send({ confirm: true })),
      });
      return isDone ? null : t(question.kept);
    }
  };

  const save = async (fields: readonly OptionField[]) => {
    const [first] = fields;
    if (!first || saving) return;
    const changes = changed(fields);
    if (changes.length === 0) return notify({ tone: 'ok', text: t('app.nothingChanged') });
    setLeft(new Set([...left, ...changes.map((field) => field.key)]));
    const bad = changes.find((field) => wrong(field) !== undefined);
    if (bad) {
      document.getElementById(controlId(bad))?.focus();
      return notify({ tone: 'bad', text: t('setting.checkInput') });
    }
    const leaping = changes.filter(isPriceTable).flatMap((field) => leapsIn(field.value, text(field)));
    if (leaping.length > 0 && !(await confirm(leapQuestion(leaping, t)))) return;
    setSaving(first.block);
    const failures: Record<string, string> = {};
    const saved: string[] = [];
    for (const group of savedTogether(inSavingOrder(changes.map((one) => [one, text(one)])))) {
      const [change, ...also] = group.map(([field, value]) => ({
        key: field.key,
        value: sentValue(field, value),
      }));
      if (!change) continue;
      const failure = await put(change, ...also);
      for (const [{ key }] of group) {
        if (failure === null) saved.push(key);
        else failures[key] = failure;
      }
    }
    // The drafts go only when the stored values have come, so that no field shows its old value in between.
    if (saved.length > 0) await router.invalidate({ sync: true });
    setDrafts((old) => without(old, saved));
    setRefused((old) => ({
      ...without(
        old,
        changes.map((field) => field.key),
      ),
      ...failures,
    }));
    setSaving(null);
    if (saved.length === changes.length) return notify({ tone: 'ok', text: t('setting.saved') });
    notify({ tone: 'bad', text: t(saved.length > 0 ? 'setting.partlySaved' : 'setting.notSaved') });
  };

  return {
    text,
    set: (field, value) => {
      setDrafts((old) => ({ ...old, [field.key]: value }));
      setRefused((old) => without(old, [field.key]));
    },
    leave: (field) => setLeft((old) => new Set(old).add(field.key)),
    error: (field) => refused[field.key] ?? (left.has(field.key) ? wrong(field) : undefined),
    changed,
    undo: (fields) => {
      const keys = fields.map((field) => field.key);
      setDrafts((old) => without(old, keys));
      setRefused((old) => without(old, keys));
    },
    save,
    reset: async (field) => {
      const failure = await put({ key: field.key, value: null });
      if (failure !== null) return notify({ tone: 'bad', text: failure });
      await router.invalidate({ sync: true });
      setDrafts((old) => without(old, [field.key]));
      notify({ tone: 'ok', text: t('setting.saved') });
    },
    saving,
    dirty: all.some(isChanged),
  };
}

/** The id of a field's control; keys hold dots, which ids may. */
export const controlId = (field: OptionField): string => `option-${field.key}`;
